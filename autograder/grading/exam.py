"""What grading an assignment takes, made once: its checks, its reference, what goes wrong in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from autograder.asking import LocalStudent, Question, RemoteStudent
from autograder.checking import CheckOutcome, ChecksBroken, Runner, collect
from autograder.course import (
    Assignment,
    Course,
    ManifestError,
    UnknownIdError,
    Verdict,
    assignment_folder,
    place,
    source_path,
)
from autograder.diagnosis import (
    FAULTS,
    BadFault,
    Bank,
    Case,
    Component,
    Symptoms,
    cases_of,
    read_components,
    read_symptoms,
)
from autograder.notebooks import (
    Source,
    Submission,
    banned_uses,
    given_names,
    known_by,
    modules_for,
    parts_elsewhere,
    read_source,
)
from autograder.sandbox.confine import Limits
from autograder.sandbox.host import Server


@dataclass(frozen=True)
class Exam:
    """All that grading an assignment takes, beside the submission and the server."""

    assignment: Assignment
    source: Source
    reference: LocalStudent
    secret: str
    run: Runner  # of its checks
    outcomes: tuple[CheckOutcome, ...]  # of the reference itself
    foreseen: tuple[Question, ...]  # what the checks asked of it: they will ask every student
    bank: Bank  # what goes wrong, and its answers
    symptoms: Symptoms  # what is looked for when nothing explains
    elsewhere: frozenset[str]  # how the parts read that are asked for here and given elsewhere


def prepare(course: Course, assignment_id: str, secret: str) -> Exam:
    """Read an assignment's source, run its reference, and let the checks rehearse on it.

    Raises ChecksBroken when the reference does not pass its own checks, and ManifestError when
    something is banned in a name that the source lacks.
    """
    assignment = course.assignment(assignment_id)
    source = read_source(source_path(course.root, assignment_id))
    for name in assignment.banned_in:
        if name not in source.defined_in:
            where = place(course.root, "assignments", assignment_id, "banned_in", name)
            raise ManifestError(f"{where} is no name that students write in {source.path.name}")
    student, reference = (LocalStudent(source.reference, modules_for(source)) for _ in range(2))

    @cache
    def reference_of(other: str) -> LocalStudent:
        source = read_source(source_path(course.root, other))
        return LocalStudent(source.reference, modules_for(source))

    checks = collect(assignment, source)
    run = Runner(checks, assignment, source, reference, secret, reference_of)
    files = assignment_folder(course.root, assignment_id)  # as if handed in
    outcomes: list[CheckOutcome] = []
    cases: list[Case] = []
    crowded = {(each.item, each.sentence) for each in checks if each.crowded}
    for item in assignment.items:
        start = len(student.asked)
        ours = run(student, files, [item.id])
        asked = [each for outcome in ours for each in outcome.asked]
        sentences = [each.sentence for each in ours for _ in range(each.calls)]
        about = item.id, item.tolerance, asked, student.asked[start:], sentences
        meet = {sentence for id, sentence in crowded if id == item.id}
        cases += cases_of(*about, meet, start, reference.answer)
        outcomes += ours
    failed = [each for each in outcomes if each.verdict is not Verdict.PASSED]
    if failed:
        raise ChecksBroken(f"the reference of {assignment_id} fails: {failed[0].message}")
    reference.recall(reference.asked)  # it need not find its answers again for each submission
    return Exam(
        assignment,
        source,
        reference,
        secret,
        run,
        tuple(outcomes),
        tuple(each.question for each in student.asked),
        Bank(_components(assignment, source), cases, _inherited(course, source)),
        read_symptoms(source),
        known_by(source.given, parts_elsewhere(source)),
    )


def _components(assignment: Assignment, source: Source) -> list[Component]:
    """Its components, each of whose faults an item is meant to catch. Raises BadFault."""
    components = read_components(source)
    for component in components:
        for fault in component.faults:
            try:
                assignment.item(fault.item)
            except UnknownIdError as error:
                file = source.path.parent / FAULTS / f"{component.name}.py"
                raise BadFault(f"{file}:{fault.line}: {fault.name}.item: {error}") from error
    return components


def also_from(course: Course, source: Source) -> list[str]:
    """The other assignments that this one's exam is made of: it is given parts of them, or its
    checks name them.
    """
    checks = source.path.with_name("checks.py").read_text(encoding="utf-8")
    given = _given_by(course, source)
    others = (each.id for each in course.assignments if each.id != source.assignment)
    return [each for each in others if each in given or each in checks]


def _given_by(course: Course, source: Source) -> dict[str, Source]:
    """The other assignments that define what this one is given, with their sources."""
    given = set(given_names(source))
    others = [each.id for each in course.assignments if each.id != source.assignment and given]
    sources = {each: read_source(source_path(course.root, each)) for each in others}
    return {id: each for id, each in sources.items() if given & each.defined_in.keys()}


def _inherited(course: Course, source: Source) -> list[Component]:
    """The components, in other assignments, of what this one is given."""
    given = set(given_names(source))
    return [
        component
        for each in _given_by(course, source).values()
        for component in read_components(each)
        if given.intersection(component.of)
    ]


def limits_of(assignment: Assignment) -> Limits:
    """The manifest's limits as the sandbox takes them."""
    return Limits(**assignment.limits.model_dump())


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
        banned_in=_banned_uses(submission, exam),
        banned_while=exam.assignment.banned_in,
        defined_in=exam.source.defined_in,
        foreseen=exam.foreseen,
        wall_seconds=wall_seconds,
    )


def _banned_uses(submission: Submission, exam: Exam) -> dict[str, str]:
    """Which names lead to a banned call, or to a part that other assignments are given.

    What is banned in one name alone taints no other.
    """
    found = banned_uses(submission.cells, exam.assignment.banned, exam.elsewhere)
    for name, more in exam.assignment.banned_in.items():
        if used := banned_uses(submission.cells, more).get(name):
            found.setdefault(name, used)
    return found
