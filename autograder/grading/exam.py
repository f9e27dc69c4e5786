"""What grading an assignment takes, made once: its checks, its reference, what goes wrong in it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TypeVar

from autograder.asking import LocalStudent, Question, RemoteStudent
from autograder.checking import CheckOutcome, ChecksBroken, Runner, open_checks
from autograder.course import Assignment, Course, Verdict, assignment_folder, source_path
from autograder.diagnosis import (
    Bank,
    Case,
    Symptoms,
    cases_of,
    read_components,
    read_symptoms,
)
from autograder.notebooks import Source, Submission, banned_uses, modules_for, read_source
from autograder.sandbox.confine import Limits
from autograder.sandbox.host import Server

T = TypeVar("T")


@dataclass(frozen=True)
class Exam:
    """All that grading an assignment takes, beside the submission and the server."""

    assignment: Assignment
    source: Source
    reference: LocalStudent
    reference_of: Callable[[str], LocalStudent]  # of any assignment of the course
    secret: str
    outcomes: tuple[CheckOutcome, ...] = ()  # of the reference itself
    foreseen: tuple[Question, ...] = ()  # what the checks asked of it: they will ask every student
    bank: Bank = field(default_factory=lambda: Bank((), ()))  # what goes wrong, and its answers
    symptoms: Symptoms = field(default_factory=Symptoms)  # what is looked for when nothing explains


def prepare(course: Course, assignment_id: str, secret: str) -> Exam:
    """Read an assignment's source, run its reference, and let the checks rehearse on it.

    Raises ChecksBroken when the reference does not pass its own checks.
    """
    assignment = course.assignment(assignment_id)
    source = read_source(source_path(course.root, assignment_id))
    student, reference = (LocalStudent(source.reference, modules_for(source)) for _ in range(2))

    @cache
    def reference_of(other: str) -> LocalStudent:
        source = read_source(source_path(course.root, other))
        return LocalStudent(source.reference, modules_for(source))

    exam = Exam(assignment, source, reference, reference_of, secret, symptoms=read_symptoms(source))
    files = assignment_folder(course.root, assignment_id)  # as if handed in
    outcomes: list[CheckOutcome] = []
    cases: list[Case] = []

    def rehearse(run: Runner) -> None:
        for item in assignment.items:
            start = len(student.asked)
            ours = run(student, files, [item.id])
            asked = [each for outcome in ours for each in outcome.asked]
            answers, seconds = student.asked[start:], student.seconds[start:]
            parts = asked, answers, seconds, start, reference.answer
            cases.extend(cases_of(item.id, item.tolerance, *parts))
            outcomes.extend(ours)

    open_exam(exam, rehearse)
    failed = [each for each in outcomes if each.verdict is not Verdict.PASSED]
    if failed:
        raise ChecksBroken(f"the reference of {assignment_id} fails: {failed[0].message}")
    reference.recall(reference.asked)  # it need not find its answers again for each submission
    foreseen = tuple(question for question, _ in student.asked)
    bank = Bank(read_components(source), cases)
    return replace(exam, outcomes=tuple(outcomes), foreseen=foreseen, bank=bank)


def limits_of(assignment: Assignment) -> Limits:
    """The manifest's limits as the sandbox takes them."""
    return Limits(**assignment.limits.model_dump())


def open_exam(exam: Exam, body: Callable[[Runner], T]) -> T:
    """Call `body` with what runs the exam's checks, for grading many submissions."""
    parts = exam.assignment, exam.source, exam.reference, exam.secret
    return open_checks(*parts, body, exam.reference_of)


def remote_student(
    submission: Submission,
    exam: Exam,
    server: Server,
    given: Sequence[str] = (),
    wall_seconds: float | None = None,
) -> RemoteStudent:
    """The submission behind walls. `given`: names to be had from `given` beside its own."""
    return RemoteStudent(
        server,
        submission.cells,
        modules=modules_for(exam.source, given),
        banned=exam.assignment.banned,
        banned_in=_banned_uses(submission, exam.assignment),
        banned_while=exam.assignment.banned_in,
        defined_in=exam.source.defined_in,
        foreseen=exam.foreseen,
        wall_seconds=wall_seconds,
    )


def _banned_uses(submission: Submission, assignment: Assignment) -> dict[str, str]:
    """Which names lead to a banned call; what is banned in one name alone taints no other."""
    found = banned_uses(submission.cells, assignment.banned)
    for name, more in assignment.banned_in.items():
        if used := banned_uses(submission.cells, more).get(name):
            found.setdefault(name, used)
    return found
