"""One submission to its Result: read, run behind the walls, checked, judged."""

import contextlib
import logging
import time
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import torch

from autograder.asking import RemoteStudent, StudentError, is_import
from autograder.checking import CheckOutcome
from autograder.course import ItemResult, Mistake, Result, Verdict, fingerprint
from autograder.grading.behind import TO_DIAGNOSE, Behind
from autograder.grading.carried import carried, looked_at, with_contradictions
from autograder.grading.exam import Exam, remote_student
from autograder.grading.explaining import Explaining
from autograder.grading.judge import carry, judge, replaced, verdict_on
from autograder.notebooks import (
    Submission,
    UnreadableSubmission,
    find_submission,
    lie_beside,
    read_submission,
    refuse_links,
)
from autograder.sandbox.host import Server, ServerFailed
from autograder.sandbox.session import Answer

_log = logging.getLogger(__name__)
_TRIES = 2  # of a submission on whose server something came to an end
_OTHERS = 5  # notebooks that are told of
_TOLD = 20  # cells whose failures are told, each in a note of its own
_LONG = 0.5  # of the limit: hundreds of times what the checks take
_AGAIN = 2  # times the limit
_NO_TIME = (
    "What is wrong was not looked for to the end: no time. So one mistake may have cost several "
    "items. Grade it again when less is going on here."
)
_VERSIONS = {"autograder": version("autograder"), "torch": str(torch.__version__)}


def grade(student: str, path: Path, exam: Exam, server: Server) -> Result:
    """Grade the file at `path`, or the one that the folder there holds.

    Never raises for a student's mistake; a fault of ours becomes verdicts `internal`. When the
    server dies, the submission is asked once more, of a new one: only what kills that, too, is told
    of it.
    """
    started = time.perf_counter()
    sha256, notes = None, []
    mistakes: tuple[Mistake, ...] = ()
    trouble = None
    try:
        path = find_submission(path, exam.assignment.id)
        refuse_links(path.parent, exam.assignment.handed_in)
        submission = read_submission(path, exam.source)
        sha256, notes = submission.sha256, list(submission.notes)
        items, mistakes, more, trouble = _asked_again(submission, path.parent, exam, server)
        if all(item.verdict is Verdict.MISSING for item in items):
            _refuse_the_wrong_one(path)
        notes += more
    except UnreadableSubmission as error:
        items = [verdict_on(item, Verdict.UNREADABLE, str(error)) for item in exam.assignment.items]
    except Exception as error:
        items = _internal(exam, f"{type(error).__name__}: {error}")
    seconds = time.perf_counter() - started
    result = _result(student, exam, items, server.wall, seconds, tuple(notes), sha256)
    return result.model_copy(update={"mistakes": mistakes, "trouble": trouble})


def _asked_again(
    submission: Submission, handed_in: Path, exam: Exam, server: Server
) -> tuple[list[ItemResult], tuple[Mistake, ...], list[str], str | None]:
    for _ in range(1, _TRIES):
        with contextlib.suppress(ServerFailed):
            return _grade(submission, handed_in, exam, server)
        server.renew()
    return _grade(submission, handed_in, exam, server)


def _refuse_the_wrong_one(path: Path) -> None:
    """Raise UnreadableSubmission when beside a notebook without answers lies another."""
    if others := lie_beside(path):
        told = ", ".join(others[:_OTHERS])
        raise UnreadableSubmission(
            f"{path.name} has no answers in it, and with it was handed in {told}. Ask which of "
            "them is meant, put that one in its place, and grade again."
        )


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
        secret_fingerprint=fingerprint(exam.secret),
        submission_sha256=sha256,
    )


def _grade(
    submission: Submission, handed_in: Path, exam: Exam, server: Server
) -> tuple[list[ItemResult], tuple[Mistake, ...], list[str], str | None]:
    """The items, the mistakes in them, and what else there is to tell the student, and staff."""
    server.start()  # its own time is not the student's
    started = time.monotonic()

    def again(
        other: Submission, given: Sequence[str], items: Sequence[str]
    ) -> Sequence[CheckOutcome]:
        left = server.limits.wall_seconds - (time.monotonic() - started)
        with remote_student(other, exam, server, given, wall_seconds=max(0.0, left)) as student:
            outcomes, answers = _outcomes(student, handed_in, exam, items)
            behind.append(Behind(other, tuple(given), tuple(outcomes), answers))
        return outcomes

    behind: list[Behind] = []
    outcomes, answers, notes, ended = _ask(submission, handed_in, exam, server)
    carried_by = carried(submission, exam.source, exam.outcomes, outcomes, again, ended)
    judged = [judge(item, outcomes) for item in exam.assignment.items]
    items = [
        carry(item, replaced(carried_by[item.item]), exam.assignment.carried_share)
        if item.item in carried_by
        else item
        for item in judged
    ]

    # What takes long by itself is not waited for even longer. For the others there is twice as much
    # time again, and counts of questions end much earlier: what is told of a submission, and what
    # it costs, must not hang on who else is at work on the machine.
    now, limit = time.monotonic(), server.limits.wall_seconds
    timed_out = any(each.verdict is Verdict.TIMEOUT for each in outcomes)
    slow = timed_out or now - started > limit * _LONG
    until = started + limit if slow else now + limit * _AGAIN

    def student_of(other: Submission, given: Sequence[str] = ()) -> RemoteStudent:
        left = max(0.0, until - time.monotonic())
        return remote_student(other, exam, server, given, wall_seconds=left)

    cells = tuple(cell for cell in submission.cells if cell.name not in ended)
    kept = replace(submission, cells=cells)
    explaining = Explaining(exam, kept, outcomes, answers, behind, student_of, until)
    mistakes: tuple[Mistake, ...] = ()
    trouble = None
    try:
        items, mistakes = explaining.explain(items)
    except ServerFailed:
        raise
    except Exception as error:  # the verdicts stand, each at its full price
        _log.exception("nothing could be explained in what was handed in as %s", handed_in)
        trouble = (
            "What is wrong could not be explained, so that one mistake may have cost several "
            f"items: {type(error).__name__}: {error}. Tell us, and grade it again."
        )
    own = looked_at(exam.source, exam.outcomes)
    if trouble is None and not timed_out and time.monotonic() > until:
        trouble = _NO_TIME
    items = with_contradictions(items, carried_by, own, exam.source, judged)
    return items, mistakes, notes, trouble


def _ask(
    submission: Submission,
    handed_in: Path,
    exam: Exam,
    server: Server,
) -> tuple[list[CheckOutcome], dict[int, Answer], list[str], frozenset[str]]:
    """Run the cells, then the checks; then ask for what a diagnosis needs, if one is needed.

    Returns the outcomes, these answers, notes, and the cells that ended their process.
    """
    with remote_student(submission, exam, server) as student:
        student.run()
        outcomes, answers = _outcomes(student, handed_in, exam)
    solved = {cell.name for cell in submission.cells if cell.solution}
    told = [error for name, error in student.cell_errors.items() if name not in solved]
    notes = [_note(error) for error in told[:_TOLD]]
    if len(told) > _TOLD:
        notes.append(f"{len(told) - _TOLD} more cells failed; they cost nothing by themselves.")
    notes += dict.fromkeys(note for each in outcomes for note in each.notes)
    errors = student.cell_errors.items()
    ended = frozenset(name for name, error in errors if error.verdict is not Verdict.ERROR)
    return outcomes, answers, notes, ended


def _outcomes(
    student: RemoteStudent, handed_in: Path, exam: Exam, items: Sequence[str] | None = None
) -> tuple[list[CheckOutcome], dict[int, Answer]]:
    """What checks say, and the answers that a diagnosis needs; nothing good of who is unguarded."""
    outcomes = exam.run(student, handed_in, items)
    failed = {each.item for each in outcomes if each.verdict in TO_DIAGNOSE}
    answers = exam.bank.ask(student, outcomes, failed)
    if error := student.unguarded():
        outcomes = [_despite(error, each) for each in outcomes]
    return outcomes, answers


def _despite(error: StudentError, outcome: CheckOutcome) -> CheckOutcome:
    """What a check found, in answers that nothing can be given for."""
    return replace(
        outcome, verdict=error.verdict, message=str(error), advice=None, failure=None, loop=None
    )


def _note(error: StudentError) -> str:
    """What is told of a cell that failed and that no item is about."""
    said = str(error)
    cost = (
        "What needs that import fails, too." if is_import(error) else "It cost nothing by itself."
    )
    return f"{said[0].upper()}{said[1:]}\n{cost}"
