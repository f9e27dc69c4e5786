"""How late each hand-in of one student is, and which of the course's late days go to it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from autograder.course.assignment import Assignment
from autograder.course.dates import begun, days_begun, long
from autograder.course.manifest import Course

__all__ = ["Behind", "Due", "Lateness", "behind", "lateness"]


@dataclass(frozen=True)
class Due:
    """A hand-in, and when it had to be there: with what was granted, without the grace.

    score: in points, where nobody has to look at it any more.
    """

    at: datetime
    until: datetime
    score: float | None = None


@dataclass(frozen=True)
class Behind:
    """How late a hand-in is behind its due date, its extension and the grace."""

    until: datetime  # when it was due, with what was granted and without the grace
    by: timedelta  # 0 when in time
    begun: int  # days, where they cost something

    def __str__(self) -> str:
        """27 hours, 2 days begun; empty when in time."""
        return long(self.by) + begun(self.by, self.begun) if self.by else ""


@dataclass(frozen=True)
class Lateness(Behind):
    """The same, and which of the student's late days go to it."""

    late_days: int
    left: int  # of them, for the assignments that are due after it

    @property
    def days(self) -> int:
        """The days begun that cost something: those that no late day went to."""
        return self.begun - self.late_days


def behind(assignment: Assignment, due: Due) -> Behind:
    """How late a hand-in is."""
    late = assignment.late
    by = max(timedelta(0), due.at - due.until - (late.grace if late else timedelta(0)))
    return Behind(due.until, by, days_begun(by) if late and late.percent_per_day else 0)


def lateness(course: Course, handed_in: Mapping[str, Due]) -> dict[str, Lateness]:
    """How late a student's hand-ins are, by assignment.

    Late days go to the assignments in the order in which these were due for all, so that it does
    not matter in which order they are graded. A day goes where it makes something cheaper: to
    nothing that has no points, and not where as much is taken off with it.
    """
    left, found = course.late_days, {}
    for each in sorted(course.assignments, key=_due):
        if each.id not in handed_in:
            continue
        due = handed_in[each.id]
        late = behind(each, due)
        spent = _spent(each, late.begun, left, due.score)
        left -= spent
        found[each.id] = Lateness(late.until, late.by, late.begun, spent, left)
    return found


def _spent(assignment: Assignment, days: int, left: int, score: float | None) -> int:
    """The fewest late days that make so many days as cheap as they can be."""
    late = assignment.late
    if late is None:
        return 0
    most = min(days, left, days if late.late_days_at_most is None else late.late_days_at_most)

    def costs(spent: int) -> float:
        if score is None:
            return late.percent(days - spent)
        return min(score, late.costs(days - spent, assignment.worth, score))

    return min(range(most + 1), key=lambda spent: (costs(spent), spent))


def _due(assignment: Assignment) -> float:
    """When it was due, in seconds; without a date it stands last, and is never late."""
    return assignment.dates.due.timestamp() if assignment.dates else float("inf")
