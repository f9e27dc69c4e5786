"""What the gradebook says of a student beside our verdicts: what people gave, what late work costs.

Pages show it; nothing here is written.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nbgrader import api
from nbgrader.api import MissingEntry
from sqlalchemy import select

from autograder.course import Assignment, Result
from autograder.export.gradebook import open_gradebook

__all__ = ["Standing", "says", "standings"]


@dataclass(frozen=True)
class Standing:
    """What people gave, what they have yet to give, and what late work costs, in points."""

    penalty: float
    seconds_late: float
    by_hand: Mapping[str, float]  # by item or part, where people gave points
    waiting: Mapping[str, float]  # parts that people have yet to read, and what each is worth
    comments: Mapping[str, str]  # of people, by the cell that they are about

    def score(self, result: Result) -> float | None:
        """The points of people where they gave some, else the checks', less the penalty."""
        if result.score is None:
            return None
        checked = {each.item: each.score or 0.0 for each in result.items}
        return sum((checked | dict(self.by_hand)).values()) - self.penalty

    def of(self, assignment: Assignment) -> float:
        """What is graded by now, in points."""
        by_people = sum(each.points for each in assignment.manual if each.id not in self.waiting)
        return assignment.max_score + by_people

    @property
    def late(self) -> str:
        """How late it was, in words: 2 days and 3 hours."""
        hours = max(1, round(self.seconds_late / 3600))
        days, hours = divmod(hours, 24) if hours > 36 else (0, hours)
        counts = ((days, "day"), (hours, "hour"))
        return " and ".join(f"{n} {word}{'s' * (n != 1)}" for n, word in counts if n)


def standings(assignment_id: str, db_url: str) -> dict[str, Standing]:
    """How each student stands in an assignment, as the gradebook has it. Raises GradebookError."""
    with open_gradebook(db_url) as gradebook:
        try:
            submissions = gradebook.assignment_submissions(assignment_id)
        except MissingEntry:
            return {}
        return {
            each.student.id: _standing(each, notebook)
            for each in submissions
            for notebook in each.notebooks
            if notebook.name == assignment_id
        }


def says(assignment_id: str, db_url: str) -> dict[str, str]:
    """All that the gradebook says of each student in an assignment: a text that tells changes.

    By a few questions for the whole class, where `standings` asks some for each. Raises
    GradebookError.
    """
    about: dict[str, list[str]] = {}
    with open_gradebook(db_url) as gradebook:
        submitted = (
            select(api.SubmittedAssignment.student_id, api.SubmittedAssignment.timestamp)
            .add_columns(api.SubmittedAssignment.extension, api.Assignment.duedate)
            .join(api.Assignment, api.Assignment.id == api.SubmittedAssignment.assignment_id)
            .where(api.Assignment.name == assignment_id)
        )
        notebooks = submitted.join(
            api.SubmittedNotebook, api.SubmittedNotebook.assignment_id == api.SubmittedAssignment.id
        )
        for asked in (
            notebooks.add_columns(api.SubmittedNotebook.late_submission_penalty),
            *(
                notebooks.join(each, each.notebook_id == api.SubmittedNotebook.id)
                .add_columns(*each.__table__.columns)
                .order_by(each.id)
                for each in (api.Grade, api.Comment)
            ),
        ):
            for student, *row in gradebook.db.execute(asked):
                about.setdefault(student, []).append(repr(row))
    return {student: "\n".join(rows) for student, rows in about.items()}


def _standing(submission: Any, notebook: Any) -> Standing:
    grades = {grade.name: grade for grade in notebook.grades}
    comments = {each.name: each.manual_comment for each in notebook.comments}
    return Standing(
        penalty=notebook.late_submission_penalty or 0.0,
        seconds_late=submission.total_seconds_late,
        by_hand={
            name: grade.score
            for name, grade in grades.items()
            if grade.manual_score is not None or grade.extra_credit
        },
        waiting={
            name: grade.max_score
            for name, grade in grades.items()
            if grade.needs_manual_grade and grade.manual_score is None and grade.auto_score is None
        },
        comments={name: text for name, text in comments.items() if text},
    )
