"""How late work is before it is graded, by the policy of grading.

As late.py reckons it for the gradebook, of files that the gradebook does not know of yet.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from nbgrader.api import Assignment as Stored
from nbgrader.api import SubmittedAssignment
from sqlalchemy import select

from autograder.course import Behind, Course, Due, behind
from autograder.export.late import until
from autograder.export.opening import looked_into
from autograder.export.settings import Settings

__all__ = ["Foreseen", "foreseen"]


class _Granted(NamedTuple):
    """What a gradebook grants: due dates, by assignment, and extensions, by student, too."""

    due: Mapping[str, datetime]
    extensions: Mapping[tuple[str, str], timedelta]


class Foreseen:
    """How late it is what a student hands in. Which late days go to it, points have a say in."""

    def __init__(self, course: Course, settings: Settings, granted: _Granted) -> None:
        self._course, self._settings, self._granted = course, settings, granted

    def __call__(self, student: str, name: str, at: datetime | None) -> Behind | None:
        """How late it is to hand that in then; None where no time or no due date is known."""
        about = self._course, self._settings.extensions, student, name
        extension = self._granted.extensions.get((student, name))
        due = until(*about, self._granted.due.get(name), extension)
        return behind(self._course.assignment(name), Due(at, due)) if at and due else None


def foreseen(course: Course, settings: Settings) -> Foreseen:
    """What tells how late work is. The gradebook is read once. Raises GradebookError."""
    due, extensions = select(Stored.name, Stored.duedate), select(SubmittedAssignment.student_id)
    extensions = extensions.add_columns(Stored.name, SubmittedAssignment.extension)
    extensions = extensions.join(Stored, Stored.id == SubmittedAssignment.assignment_id)
    granted = _Granted({}, {})
    with looked_into(settings.db_url) as connection:
        if connection is not None:
            granted = _Granted(
                {name: each for name, each in connection.execute(due) if each},
                {(who, name): each for who, name, each in connection.execute(extensions) if each},
            )
    return Foreseen(course, settings, granted)
