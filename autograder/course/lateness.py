"""How late each hand-in of one student is, and which of the course's late days go to it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from autograder.course.assignment import Assignment
from autograder.course.dates import counted, days_begun
from autograder.course.manifest import Course

__all__ = ["Due", "Lateness", "lateness"]


@dataclass(frozen=True)
class Due:
    """A hand-in, and when it had to be there: with what was granted, without the grace."""

    at: datetime
    until: datetime


@dataclass(frozen=True)
class Lateness:
    """How late a hand-in is behind its due date, its extension and the grace."""

    until: datetime  # when it was due, with what was granted and without the grace
    by: timedelta  # 0 when in time
    late_days: int  # of the student's, that go to it
    left: int  # of them, for the assignments that are due after it

    @property
    def days(self) -> int:
        """The days begun that cost something: those that no late day went to."""
        return days_begun(self.by) - self.late_days

    def __str__(self) -> str:
        """How late it is, in brief, and the late days that go to it; empty when in time."""
        if not self.by:
            return ""
        days, hours = divmod(max(1, round(self.by / timedelta(hours=1))), 24)
        told = [f"{days} d"] * bool(days) + [f"{hours} h"] * bool(hours)
        went = [counted(self.late_days, "late day")] * bool(self.late_days)
        return ", ".join([" ".join(told), *went])


def lateness(course: Course, handed_in: Mapping[str, Due]) -> dict[str, Lateness]:
    """How late a student's hand-ins are, by assignment.

    Late days go to the assignments in the order in which these were due for all, so that it does
    not matter in which order they are graded. A day goes where it makes something cheaper.
    """
    left, found = course.late_days, {}
    for each in sorted(course.assignments, key=_due):
        if each.id not in handed_in:
            continue
        due = handed_in[each.id]
        grace = each.late.grace if each.late else timedelta(0)
        by = max(timedelta(0), due.at - due.until - grace)
        spent = _spent(each, days_begun(by), left)
        left -= spent
        found[each.id] = Lateness(due.until, by, spent, left)
    return found


def _spent(assignment: Assignment, days: int, left: int) -> int:
    """The fewest late days that make so many days as cheap as they can be."""
    late = assignment.late
    if late is None:
        return 0
    most = min(days, left, days if late.late_days_at_most is None else late.late_days_at_most)
    return min(range(most + 1), key=lambda spent: (late.percent(days - spent), spent))


def _due(assignment: Assignment) -> float:
    """When it was due, in seconds; without a date it stands last, and is never late."""
    return assignment.dates.due.timestamp() if assignment.dates else float("inf")
