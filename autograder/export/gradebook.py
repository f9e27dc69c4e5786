"""Results into nbgrader's gradebook: the one place that writes scores.

The gradebook belongs to nbgrader and to the people who grade by hand in it. Recording sets what
`nbgrader autograde` would set (automatic scores, the time of hand-in, what late work costs, which
cells have no answer) and nothing else: manual scores, extra credit, comments, names and extensions
stay as they are. It goes through nbgrader's own `Gradebook` and `SaveCells`, so the formgrader,
`nbgrader export` and `nbgrader db` find what they expect.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from nbgrader.api import MissingEntry

from autograder.course import Assignment, Result
from autograder.export.cells import ensure_cells
from autograder.export.opening import GradebookError, open_gradebook
from autograder.export.submitted import Submitted
from autograder.export.times import HandInTime

__all__ = ["GradebookError", "HandedIn", "Recorded", "record", "settle"]

_AT_ONCE = 50  # students: so many are found, made and written by a few statements


class Policy(Protocol):
    """What late work costs: see Settings."""

    @property
    def over_course(self) -> bool:
        """Whether what one submission costs depends on the student's others."""

    def penalty(self, gradebook: Any, notebook: Any) -> float | None:
        """What it costs, in points; None: nothing."""


@dataclass(frozen=True)
class HandedIn:
    """What the gradebook keeps of a submission beside its scores."""

    time: HandInTime  # where nobody wrote it: as the gradebook has it
    unanswered: frozenset[str] = frozenset()  # cells that are as they were handed out


@dataclass(frozen=True)
class Recorded:
    """What became of a class's results."""

    recorded: int  # students whose scores the gradebook now holds
    withheld: tuple[str, ...]  # students without a score, whose earlier scores stay


def record(
    results: Iterable[Result],
    assignment: Assignment,
    release_notebook: Path,
    db_url: str,
    handed_in: Mapping[str, HandedIn] | None = None,
    policy: Policy | None = None,
) -> Recorded:
    """Record the scores of `results` in the gradebook at `db_url`; doing it twice changes nothing.

    handed_in: by student, looked at once a result is there; what is known of those who are not in
    it stays. A result without a score is withheld, never recorded as a zero, and what the gradebook
    has of it waits for a person.
    Either every other result is recorded or, when GradebookError is raised, none is.
    """
    handed_in = {} if handed_in is None else handed_in
    recorded, withheld, coming = 0, [], iter(results)
    with open_gradebook(db_url) as gradebook:
        ensure_cells(gradebook, assignment, release_notebook, db_url)
        with _one_transaction(gradebook):
            found = Submitted(gradebook, assignment.id)
            while some := list(islice(coming, _AT_ONCE)):
                graded = [each for each in some if not each.needs_staff]
                for result in graded:
                    _refuse_misfit(result, assignment)
                with gradebook.db.no_autoflush:  # half a submission would be asked for
                    stored = found.of([each.student for each in graded])
                    for result in graded:
                        about = handed_in.get(result.student)
                        _record_scores(stored[result.student], result, assignment, found, about)
                gradebook.db.flush()
                if policy:
                    for notebook in stored.values():
                        _record_penalties(gradebook, notebook, policy)
                gradebook.db.commit()
                for result in filter(lambda each: each.asks_for_staff, some):
                    _ask_for_staff(gradebook, result)
                recorded += len(graded)
                withheld += [each.student for each in some if each.needs_staff]
    return Recorded(recorded, tuple(withheld))


@contextmanager
def _one_transaction(gradebook: Any) -> Iterator[None]:
    """Let nbgrader's many commits count only when the block is through: a class whole or not.

    One writing to the disk for the class instead of three for each student is also what makes
    recording fast, together with not reading again, after each commit, what only we write.
    """
    gradebook.db.remove()
    with gradebook.engine.begin() as connection:
        gradebook.db.configure(
            bind=connection, join_transaction_mode="rollback_only", expire_on_commit=False
        )
        yield
        gradebook.db.remove()


def _refuse_misfit(result: Result, assignment: Assignment) -> None:
    """Raise GradebookError when a result is of another assignment or another course.yml."""
    whose = f"the result of {result.student}"
    if result.assignment != assignment.id:
        raise GradebookError(f"{whose} is of {result.assignment}, not of {assignment.id}")
    worth = {item.id: item.points for item in assignment.items}
    unknown = [item.item for item in result.items if item.item not in worth]
    if unknown:
        raise GradebookError(
            f"{whose} has items that {assignment.id} lacks: {', '.join(unknown)}; "
            "grade the submission again, then record"
        )
    for item in result.items:
        points = worth[item.item]
        if item.points != points:
            raise GradebookError(
                f"{whose} was graded when {item.item} was worth {item.points:g}, which is now "
                f"worth {points:g}; grade the submission again, then record"
            )


def _record_scores(
    notebook: Any,
    result: Result,
    assignment: Assignment,
    of: Submitted,
    handed_in: HandedIn | None,
) -> None:
    """As nbgrader's Autograde and SaveAutoGrades, but for asking twice to grade one report.

    of: where the notebook is from, which knows its cells.
    """
    grades = {grade.cell_id: grade for grade in notebook.grades}
    for item in result.items:
        grade = grades[of.cells[item.item]]
        grade.auto_score = item.score
        # A score given by hand asks for a second look.
        grade.needs_manual_grade = grade.manual_score is not None or item.score is None
    unanswered = handed_in.unanswered if handed_in else frozenset()
    at = handed_in.time.at if handed_in else None
    for part in assignment.manual:
        # So the formgrader lists it. Who has graded it is asked again when another is handed in.
        grade = grades[of.cells[part.id]]
        waits = result.submission_sha256 is not None and part.id not in unanswered
        to_read = grade.manual_score is None or at not in (None, notebook.assignment.timestamp)
        grade.auto_score = 0.0 if part.id in unanswered else None
        grade.needs_manual_grade = waits and to_read
    for each in (*assignment.items, *assignment.manual):
        _weigh(grades[of.cells[each.id]], bool(each.dropped))
    if handed_in:
        unknown = handed_in.time.problem is not None  # then an earlier hand-in's time is no help
        notebook.assignment.timestamp = None if unknown else at or notebook.assignment.timestamp
        for comment in notebook.comments:
            name = of.answers.get(comment.cell_id)
            comment.auto_comment = "No response." if name in unanswered else None


def _weigh(grade: Any, dropped: bool) -> None:
    """Let what is dropped be worth nothing, and what people gave for it stay.

    It stands against as much that is taken off as extra credit; no longer dropped, it counts again
    and asks for a second look.
    """
    extra, by_hand = grade.extra_credit or 0.0, grade.manual_score
    balanced = bool(by_hand) and extra == -by_hand
    if not dropped and balanced:
        grade.extra_credit, grade.needs_manual_grade = None, True
    elif dropped:
        grade.needs_manual_grade = False
        grade.auto_score = -extra if by_hand is None else 0.0
        if by_hand is not None and not balanced:
            grade.manual_score, grade.extra_credit = by_hand + extra, -(by_hand + extra)


def _record_penalties(gradebook: Any, notebook: Any, policy: Policy) -> None:
    """Of all points, also those that were given by hand; and of others that it has changed.

    What was recorded must be flushed.
    """
    submission = notebook.assignment
    touched = submission.student.submissions if policy.over_course else [submission]
    for each in touched:
        for one in each.notebooks:
            one.late_submission_penalty = policy.penalty(gradebook, one)


def settle(assignment_id: str, db_url: str, policy: Policy) -> None:
    """Reckon again what late work costs, for all who handed in an assignment.

    As after people gave points, or somebody got an extension. Raises GradebookError.
    """
    with open_gradebook(db_url) as gradebook, _one_transaction(gradebook):
        try:
            submissions = gradebook.assignment_submissions(assignment_id)
        except MissingEntry:
            return
        for submission in submissions:
            for notebook in submission.notebooks:
                if notebook.late_submission_penalty != (
                    found := policy.penalty(gradebook, notebook)
                ):
                    notebook.late_submission_penalty = found
        gradebook.db.commit()


def _ask_for_staff(gradebook: Any, result: Result) -> None:
    """Let the gradebook show that somebody must look; earlier scores stay."""
    try:
        stored = gradebook.find_submission_notebook(
            result.assignment, result.assignment, result.student
        )
    except MissingEntry:
        return
    items = {item.item for item in result.items}
    for grade in stored.grades:
        if grade.name in items:
            grade.needs_manual_grade = True
    gradebook.db.commit()
