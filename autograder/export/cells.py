"""A release's cells into nbgrader's gradebook, worth what course.yml says."""

from pathlib import Path
from typing import Any

import nbformat
from nbgrader import utils
from nbgrader.api import MissingEntry
from nbgrader.preprocessors import SaveCells

from autograder.course import Assignment
from autograder.export.opening import GradebookError

__all__ = ["ensure_cells", "read_release"]


def ensure_cells(
    gradebook: Any, assignment: Assignment, release_notebook: Path, db_url: str
) -> None:
    """Bring the assignment, its due date and the release's cells into an open gradebook.

    Does nothing to cells that are there already as they should be. Raises GradebookError.
    """
    release = read_release(assignment, release_notebook)
    due = {} if assignment.dates is None else {"duedate": assignment.dates.due}
    gradebook.update_or_create_assignment(assignment.id, **due)
    try:
        stored = gradebook.find_notebook(assignment.id, assignment.id)
    except MissingEntry:
        pass
    else:
        if _cells_in_gradebook(stored) == _cells_in_release(release):
            return
    gradebook.db.remove()  # SaveCells opens the gradebook itself, and there is one writer
    about = {"notebook": assignment.id, "assignment": assignment.id, "db_url": db_url}
    try:
        SaveCells().preprocess(release, {"nbgrader": about})
    except RuntimeError as error:
        raise GradebookError(
            f"{release_notebook} has other cells than the {assignment.id} that students handed in: "
            "nbgrader does not add or remove cells once there are submissions. Put the old cells "
            "back; or copy the gradebook aside, run `nbgrader db assignment remove "
            f"{assignment.id} --force`, which removes this assignment's scores and manual grades "
            "too, and record again"
        ) from error


def read_release(assignment: Assignment, path: Path) -> Any:
    """The release notebook, with the points of course.yml, which is their only home.

    Raises GradebookError when it is not there, or lacks an item.
    """
    again = f"run `autograder release {assignment.id}`"
    try:
        release = nbformat.read(path, as_version=4)
    except (OSError, ValueError) as error:
        raise GradebookError(
            f"{path} cannot be read as a notebook ({error}): {again}, then record again"
        ) from error
    graded = {
        cell.metadata.nbgrader.grade_id: cell for cell in release.cells if utils.is_grade(cell)
    }
    parts = (*assignment.items, *assignment.manual)
    missing = [part.id for part in parts if part.id not in graded]
    if missing:
        raise GradebookError(
            f"{path} has no cell for {', '.join(missing)}, which course.yml lists: {again}, then "
            "record again"
        )
    for part in parts:
        # nbgrader's way with what adds above the total: it is worth 0, and may get more.
        graded[part.id].metadata.nbgrader.points = 0.0 if part.extra else part.points
    return release


def _cells_in_release(release: Any) -> set[tuple[Any, ...]]:
    """What SaveCells would store of a notebook's cells."""
    cells: set[tuple[Any, ...]] = set()
    for cell in release.cells:
        about = cell.metadata.get("nbgrader", {})
        name, kind = about.get("grade_id"), cell.cell_type
        if utils.is_grade(cell):
            cells.add(("grade", name, float(about.points), kind))
        if utils.is_solution(cell):
            cells.add(("solution", name))
        if utils.is_task(cell):
            cells.add(("task", name, float(about.points), kind))
        if (
            utils.is_grade(cell)
            or utils.is_solution(cell)
            or utils.is_locked(cell)
            or utils.is_task(cell)
        ):
            locked = utils.is_locked(cell)
            cells.add(("source", name, kind, locked, cell.source, about.get("checksum")))
    return cells


def _cells_in_gradebook(notebook: Any) -> set[tuple[Any, ...]]:
    """What the gradebook holds of a notebook's cells, told as `_cells_in_release` tells it."""
    return (
        {("grade", cell.name, cell.max_score, cell.cell_type) for cell in notebook.grade_cells}
        | {("solution", cell.name) for cell in notebook.solution_cells}
        | {("task", cell.name, cell.max_score, cell.cell_type) for cell in notebook.task_cells}
        | {
            ("source", cell.name, cell.cell_type, cell.locked, cell.source, cell.checksum)
            for cell in notebook.source_cells
        }
    )
