"""What late work costs, as course.yml and extensions.csv say: a plugin of nbgrader's.

nbgrader asks it for the penalty of one submission, which it knows by its parent's assignment and
gradebook. Late days are the whole course's, so all that the student handed in is looked at; the
due dates are those of course.yml, and what was granted in the gradebook counts, too.
"""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from nbgrader.plugins import LateSubmissionPlugin
from sqlalchemy.orm import object_session

from autograder.course import (
    Course,
    Due,
    Extensions,
    Lateness,
    UnknownIdError,
    lateness,
    read_course,
    read_extensions,
)

__all__ = ["LatePolicy", "until"]


class LatePolicy(LateSubmissionPlugin):  # type: ignore[misc] # nbgrader ships no types
    """The `late` of course.yml; where there is none, nbgrader's own `penalty_method`."""

    def __init__(self, **kwargs: Any) -> None:
        """Read both files. Raises ManifestError."""
        super().__init__(**kwargs)
        self.course = read_course(Path(self.config.CourseDirectory.get("root", ".")))
        self.extensions = read_extensions(self.course)

    def lateness(self, submission: Any) -> Lateness | None:
        """How late a submission of the gradebook is; None where nobody can know."""
        student = submission.student
        shared = self.course.late_days > 0
        looked_at = student.submissions if shared else [submission]
        handed_in = {
            each.name: Due(at, due, _final_score(each) if shared and at > due else None)
            for each in looked_at
            if (at := each.timestamp and each.timestamp.replace(tzinfo=UTC))
            and (due := self._until(each))
        }
        return lateness(self.course, handed_in).get(submission.name)

    def late_submission_penalty(
        self, student_id: str, score: float, total_seconds_late: float
    ) -> float | None:
        """What it costs, in points; None: nothing."""
        name = self.parent.assignment_id
        found = self.lateness(self.parent.gradebook.find_submission(name, student_id))
        if found is None or not found.by:
            return None
        assignment = self.course.assignment(name)
        if assignment.late is None:
            late = found.by.total_seconds()
            points: float | None = super().late_submission_penalty(student_id, score, late)
            return points
        return assignment.late.costs(found.days, assignment.worth, score) or None

    def _until(self, each: Any) -> datetime | None:
        granted = each.assignment.duedate, each.extension
        return until(self.course, self.extensions, each.student.id, each.name, *granted)


def _final_score(submission: Any) -> float | None:
    """What a submission has, once nothing of it waits for people."""
    # Both are what they were when first asked for.
    session = object_session(submission)
    assert session is not None  # nobody asks once the gradebook is closed
    session.refresh(submission, ["score", "needs_manual_grade"])
    return None if submission.needs_manual_grade else max(0.0, submission.score)


def until(
    course: Course,
    extensions: Extensions,
    student: str,
    name: str,
    due: datetime | None,
    extension: timedelta | None,
) -> datetime | None:
    """Until when an assignment was to be handed in: the latest of what was granted.

    due: what the gradebook says of all, in its UTC without saying so, which counts where course.yml
    has no date; extension: what it grants the student.
    """
    try:
        dates = course.assignment(name).dates
    except UnknownIdError:
        return None
    due = dates.due if dates else due and due.replace(tzinfo=UTC)
    if due is None:
        return None
    if extension:
        due += extension
    granted = extensions.get((student, name))
    return max(due, granted.until) if granted else due
