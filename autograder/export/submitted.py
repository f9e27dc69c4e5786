"""The submissions of an assignment in a gradebook: many found at once, or made as nbgrader does.

nbgrader finds and makes one, and asks the database a dozen things on the way and three times to
keep what it has so far. Here a few questions are asked for many students, and what is made are the
rows that nbgrader's `Gradebook.add_submission` makes, of its own tables.
"""

from collections.abc import Sequence
from typing import Any

from nbgrader.api import Assignment as Stored
from nbgrader.api import Comment, Grade, Student, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import select
from sqlalchemy.orm import joinedload, selectinload

from autograder.export.opening import GradebookError

__all__ = ["Submitted"]


class Submitted:
    """The submitted notebooks of one assignment in an open gradebook.

    cells: the ids of cells that get points, by their names; answers: the names of those that hold
    an answer, by their ids.
    """

    def __init__(self, gradebook: Any, name: str) -> None:
        self._db, self._name = gradebook.db, name
        self._released = gradebook.find_notebook(name, name)
        self._assignment = self._released.assignment
        self.cells = {cell.name: cell.id for cell in self._released.grade_cells}
        answers = (*self._released.solution_cells, *self._released.task_cells)
        self.answers = {cell.id: cell.name for cell in answers}
        of_it = select(SubmittedAssignment.student_id).join(Stored).where(Stored.name == name)
        self._there = set(self._db.scalars(of_it))
        self._students: Sequence[Any] = ()  # held on to, or they would be asked for one by one

    def of(self, students: Sequence[str]) -> dict[str, Any]:
        """Each student's, by the student; new ones wait to be flushed. Raises GradebookError."""
        self._students = self._db.scalars(select(Student).where(Student.id.in_(students))).all()
        found = {each.assignment.student_id: each for each in self._found(students)}
        new = [each for each in students if each not in found]
        if stuck := [each for each in new if each in self._there]:
            raise GradebookError(
                f"the gradebook's submission of {self._name} by {stuck[0]} was made before "
                f"{self._name} had a notebook and cannot hold scores; remove it with nbgrader's "
                f"Gradebook.remove_submission({self._name!r}, {stuck[0]!r}), then record again"
            )
        unknown = {*new}.difference(each.id for each in self._students)
        made = [Student(id=each) for each in new if each in unknown]
        self._students = [*self._students, *made]
        self._db.add_all(made)
        return found | {each: self._made(each) for each in new}

    def _found(self, students: Sequence[str]) -> Sequence[Any]:
        there = self._there.intersection(students)
        of_them = (
            select(SubmittedNotebook)
            .join(SubmittedNotebook.assignment)
            .where(SubmittedNotebook.notebook_id == self._released.id)
            .where(SubmittedAssignment.student_id.in_(there))
        )
        whole = (
            joinedload(SubmittedNotebook.assignment),
            selectinload(SubmittedNotebook.grades),
            selectinload(SubmittedNotebook.comments),
        )
        return self._db.scalars(of_them.options(*whole)).all() if there else ()

    def _made(self, student: str) -> Any:
        submission = SubmittedAssignment(assignment_id=self._assignment.id, student_id=student)
        for notebook in self._assignment.notebooks:
            one = SubmittedNotebook(notebook_id=notebook.id, assignment=submission)
            for cell in (*notebook.grade_cells, *notebook.task_cells):
                Grade(cell_id=cell.id, notebook=one)
            for cell in (*notebook.solution_cells, *notebook.task_cells):
                Comment(cell_id=cell.id, notebook=one)
            if notebook is self._released:
                found = one
        self._db.add(submission)
        self._there.add(student)
        return found
