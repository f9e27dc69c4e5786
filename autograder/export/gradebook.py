"""Results into nbgrader's gradebook: the one place that writes scores.

The gradebook belongs to nbgrader and to the people who grade by hand in it. Recording sets the
automatic scores and nothing else: manual scores, extra credit, comments, names and times of
hand-in stay as they are. It goes through nbgrader's own `Gradebook` and `SaveCells`, so the
formgrader, `nbgrader export` and `nbgrader db` find what they expect.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, InvalidEntry, MissingEntry
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from autograder.course import Assignment, Result
from autograder.export.cells import GradebookError, ensure_cells
from autograder.release import scripts_on_path

__all__ = ["GradebookError", "Recorded", "record"]


@dataclass(frozen=True)
class Recorded:
    """What became of a class's results."""

    recorded: int  # students whose scores the gradebook now holds
    withheld: tuple[str, ...]  # students without a score, whose earlier scores stay


def record(
    results: Iterable[Result], assignment: Assignment, release_notebook: Path, db_url: str
) -> Recorded:
    """Record the scores of `results` in the gradebook at `db_url`; doing it twice changes nothing.

    A result without a score is withheld, never recorded as a zero. Either every other result is
    recorded or, when GradebookError is raised, none is.
    """
    results = tuple(results)
    scored = [result for result in results if not result.needs_staff]
    with _open(db_url) as gradebook:
        ensure_cells(gradebook, assignment, release_notebook, db_url)
        with _one_transaction(gradebook):
            notebook = gradebook.find_notebook(assignment.id, assignment.id)
            cells = {cell.name: cell for cell in notebook.grade_cells}
            for result in scored:
                _refuse_misfit(result, assignment, cells)
                _record_one(gradebook, result, assignment, cells)
    return Recorded(len(scored), tuple(result.student for result in results if result.needs_staff))


@contextmanager
def _open(db_url: str) -> Iterator[Any]:
    """The gradebook, closed afterwards, with the database's complaints in words."""
    try:
        # For a new gradebook nbgrader runs the `alembic` command, which stands beside this
        # interpreter, and leaves half a gradebook behind when it is not on PATH.
        with scripts_on_path("alembic"):
            gradebook = Gradebook(db_url)
        with gradebook:
            yield gradebook
    except (SQLAlchemyError, InvalidEntry) as error:
        where = db_url.rpartition("@")[2]  # a name and password may stand before it
        why = error.orig if isinstance(error, DBAPIError) else error.args[0]
        raise GradebookError(
            f"the gradebook {where} cannot be used: {why}; see that its folder exists, that you "
            "may write there and that no other program holds it, then record again"
        ) from error


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


def _refuse_misfit(result: Result, assignment: Assignment, cells: Mapping[str, Any]) -> None:
    """Raise GradebookError when a result is of another assignment or another course.yml."""
    whose = f"the result of {result.student}"
    if result.assignment != assignment.id:
        raise GradebookError(f"{whose} is of {result.assignment}, not of {assignment.id}")
    unknown = [item.item for item in result.items if item.item not in cells]
    if unknown:
        raise GradebookError(
            f"{whose} has items that {assignment.id} lacks: {', '.join(unknown)}; "
            "grade the submission again, then record"
        )
    for item in result.items:
        points = cells[item.item].max_score
        if item.points != points:
            raise GradebookError(
                f"{whose} was graded when {item.item} was worth {item.points:g}, which is now "
                f"worth {points:g}; grade the submission again, then record"
            )


def _record_one(
    gradebook: Any, result: Result, assignment: Assignment, cells: Mapping[str, Any]
) -> None:
    """Write one student's automatic scores, creating student and submission when new."""
    notebook = _submitted_notebook(gradebook, result)
    grades = {grade.cell_id: grade for grade in notebook.grades}
    for item in result.items:
        grade = grades[cells[item.item].id]
        grade.auto_score = item.score
        # As nbgrader's SaveAutoGrades: a score given by hand asks for a second look.
        grade.needs_manual_grade = grade.manual_score is not None or item.score is None
    for part in assignment.manual:
        # So the formgrader lists it. Who has graded it once is not asked again.
        grade = grades[cells[part.id].id]
        handed_in = result.submission_sha256 is not None
        grade.needs_manual_grade = handed_in and grade.manual_score is None
    gradebook.db.commit()


def _submitted_notebook(gradebook: Any, result: Result) -> Any:
    name = result.assignment
    try:
        return gradebook.find_submission_notebook(name, name, result.student)
    except MissingEntry:
        gradebook.update_or_create_student(result.student)
    # nbgrader looks things up while the submission is half built; flushing it then would warn.
    with gradebook.db.no_autoflush:
        submission = gradebook.update_or_create_submission(name, result.student)
    for notebook in submission.notebooks:
        if notebook.name == name:
            return notebook
    raise GradebookError(
        f"the gradebook's submission of {name} by {result.student} was made before {name} had "
        "a notebook and cannot hold scores; remove it with nbgrader's "
        f"Gradebook.remove_submission({name!r}, {result.student!r}), then record again"
    )
