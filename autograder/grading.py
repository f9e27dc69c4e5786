"""One submission to its Result: read, run behind the walls, checked, judged."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

import torch

from autograder import secret as secrets
from autograder.bank import Bank
from autograder.banned import banned_uses
from autograder.carried import carried
from autograder.components import read_components
from autograder.course import Assignment, Course
from autograder.diagnosis import diagnose
from autograder.evidence import Case, cases_of
from autograder.judge import carry, explained, judge, verdict_on
from autograder.notebook import (
    Submission,
    UnreadableSubmission,
    modules_for,
    read_submission,
)
from autograder.plugin import CheckOutcome, ChecksBroken, Runner, open_checks
from autograder.remote import RemoteStudent
from autograder.result import ItemResult, Result, Verdict
from autograder.sandbox.confine import Limits
from autograder.sandbox.host import Server
from autograder.sandbox.session import Answer
from autograder.source import Source, read_source
from autograder.student import LocalStudent, Question
from autograder.symptoms.inquiry import Inquiry
from autograder.symptoms.known import known

T = TypeVar("T")
_TOLD = 20  # cells whose failures are told, each in a note of its own
_MORE_SECONDS = 3.0  # for finding out about a mistake that nothing explains, its cells among it
_TO_DIAGNOSE = (Verdict.WRONG, Verdict.ERROR)
_VERSIONS = {"autograder": version("autograder"), "torch": str(torch.__version__)}


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

    exam = Exam(assignment, source, reference, reference_of, secret)
    files = source_path(course.root, assignment_id).with_suffix("")  # as if handed in
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


def source_path(root: Path, assignment_id: str) -> Path:
    """Where the instructor's source of an assignment lies."""
    return root / "solutions" / f"{assignment_id}.py"


def limits_of(assignment: Assignment) -> Limits:
    """The manifest's limits as the sandbox takes them."""
    return Limits(**assignment.limits.model_dump())


def find_submission(folder: Path, assignment_id: str) -> Path:
    """The file to grade in a student's folder; under another name only if it is the only one.

    Raises UnreadableSubmission when there is none, or no telling which.
    """
    named = [folder / f"{assignment_id}{suffix}" for suffix in (".ipynb", ".py")]
    for path in named:
        if path.is_symlink() or path.exists():
            return path
    found = sorted(folder.glob("*.ipynb")) if folder.is_dir() else []
    if len(found) == 1:
        return found[0]
    others = ", ".join(path.name for path in found)
    raise UnreadableSubmission(
        f"there is no {assignment_id}.ipynb"
        + (f", and several other notebooks ({others})." if found else ", nor any other notebook.")
    )


def open_exam(exam: Exam, body: Callable[[Runner], T]) -> T:
    """Call `body` with what runs the exam's checks, for grading many submissions."""
    parts = exam.assignment, exam.source, exam.reference, exam.secret
    return open_checks(*parts, body, exam.reference_of)


def grade(
    student: str, path: Path, exam: Exam, server: Server, run: Runner | None = None
) -> Result:
    """Grade the file at `path`, or the one that the folder there holds.

    Never raises for a student's mistake; a fault of ours becomes verdicts `internal`. `run`: of
    `open_exam`, when there are more to grade.
    """
    started = time.perf_counter()
    sha256, notes = None, []
    try:
        if not path.is_file():
            path = find_submission(path, exam.assignment.id)
        submission = read_submission(path, exam.source)
        sha256, notes = submission.sha256, list(submission.notes)
        folder = path.parent
        if run:
            items, more = _grade(submission, folder, exam, server, run)
        else:
            items, more = open_exam(exam, lambda run: _grade(submission, folder, exam, server, run))
        notes += more
    except UnreadableSubmission as error:
        items = [verdict_on(item, Verdict.ERROR, str(error)) for item in exam.assignment.items]
    except Exception as error:
        items = _internal(exam, f"{type(error).__name__}: {error}")
    seconds = time.perf_counter() - started
    return _result(student, exam, items, server.wall, seconds, tuple(notes), sha256)


def failed_result(student: str, exam: Exam, wall: str, message: str) -> Result:
    """The result when the grader itself could not grade: no score, and a word for staff."""
    return _result(student, exam, _internal(exam, message), wall, 0.0)


def _internal(exam: Exam, message: str) -> list[ItemResult]:
    return [verdict_on(item, Verdict.INTERNAL, message) for item in exam.assignment.items]


def _result(
    student: str,
    exam: Exam,
    items: Sequence[ItemResult],
    wall: str,
    seconds: float,
    notes: tuple[str, ...] = (),
    sha256: str | None = None,
) -> Result:
    scores = [item.score for item in items]
    return Result(
        student=student,
        assignment=exam.assignment.id,
        score=None if None in scores else sum(score or 0.0 for score in scores),
        max_score=exam.assignment.max_score,
        items=tuple(items),
        notes=notes,
        sandbox=wall,
        seconds=round(seconds, 3),
        versions=_VERSIONS,
        secret_fingerprint=secrets.fingerprint(exam.secret),
        submission_sha256=sha256,
    )


def _grade(
    submission: Submission, handed_in: Path, exam: Exam, server: Server, run: Runner
) -> tuple[list[ItemResult], list[str]]:
    """The items, and what else there is to tell the student."""
    server.start()  # its own time is not the student's
    started = time.monotonic()

    def again(
        other: Submission, given: Sequence[str], items: Sequence[str]
    ) -> Sequence[CheckOutcome]:
        left = server.limits.wall_seconds - (time.monotonic() - started)
        with remote_student(other, exam, server, given, wall_seconds=max(0.0, left)) as student:
            return run(student, handed_in, items)

    outcomes, answers, notes, ended = _ask(submission, handed_in, exam, server, run)
    carried_by = carried(submission, exam.source, exam.outcomes, outcomes, again)
    items = [judge(item, outcomes) for item in exam.assignment.items]
    share = exam.assignment.carried_share
    items = [carry(item, carried_by.get(item.item), share) for item in items]
    wrong = [item.item for item in items if item.verdict in _TO_DIAGNOSE]
    found = diagnose(exam.bank, answers, wrong) if wrong else {}
    items = explained(items, found)
    if left := [item for item in wrong if item not in found]:
        kept = tuple(cell for cell in submission.cells if cell.name not in ended)
        seconds = min(_MORE_SECONDS, server.limits.wall_seconds - (time.monotonic() - started))
        again_asked = replace(submission, cells=kept)
        with remote_student(again_asked, exam, server, wall_seconds=max(0.0, seconds)) as student:
            asking = Inquiry(student, exam.reference, exam.source.parameters)
            said = known(left, exam.bank.cases, answers, asking, exam.source.defined_in)
        items = [item.model_copy(update={"known": said.get(item.item)}) for item in items]
    return items, notes


def _ask(
    submission: Submission,
    handed_in: Path,
    exam: Exam,
    server: Server,
    run: Runner,
) -> tuple[list[CheckOutcome], dict[int, Answer], list[str], frozenset[str]]:
    """Run the cells, then the checks; then ask for what a diagnosis needs, if one is needed.

    Returns the outcomes, these answers, notes, and the cells that ended their process.
    """
    with remote_student(submission, exam, server) as student:
        student.run()
        outcomes = run(student, handed_in)
        failed = {each.item for each in outcomes if each.verdict in _TO_DIAGNOSE}
        answers = exam.bank.ask(student, failed)
    solved = {cell.name for cell in submission.cells if cell.solution}
    told = [str(error) for name, error in student.cell_errors.items() if name not in solved]
    notes = [f"{said[0].upper()}{said[1:]}\nIt cost nothing by itself." for said in told[:_TOLD]]
    if len(told) > _TOLD:
        notes.append(f"{len(told) - _TOLD} more cells failed; they cost nothing by themselves.")
    notes += dict.fromkeys(note for each in outcomes for note in each.notes)
    errors = student.cell_errors.items()
    ended = frozenset(name for name, error in errors if error.verdict is not Verdict.ERROR)
    return outcomes, answers, notes, ended


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
