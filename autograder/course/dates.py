"""When an assignment must be handed in, and what it costs to be late."""

import math
from datetime import datetime, timedelta
from typing import Literal

import pydantic
from pydantic import AwareDatetime, Field, ValidationInfo

from autograder.course.entry import Entry

__all__ = ["Dates", "Late", "as_words"]

MOMENT = "a date and time with its UTC offset, such as 2027-02-01T09:00:00+01:00"


class Dates(Entry):
    """When an assignment is handed out, and when it must be handed in."""

    released: AwareDatetime = Field(description=MOMENT)
    due: AwareDatetime = Field(description=MOMENT)

    @pydantic.field_validator("due")
    @classmethod
    def _follows_release(cls, due: AwareDatetime, info: ValidationInfo) -> AwareDatetime:
        released = info.data.get("released")
        if released and due <= released:
            raise ValueError(f"must be after released ({released}), got {due}")
        return due


class Late(Entry):
    """What late work costs: a share for each day begun, up to a cap. Late days go before it."""

    # Nothing is late before; the days are counted from there.
    grace_minutes: float = Field(default=0, ge=0, description="a number of minutes")
    percent_per_day: float = Field(default=0, ge=0, le=100, description="a number")
    percent_at_most: float = Field(default=100, gt=0, le=100, description="a number")
    # Of the points that the assignment is worth, or of those that the submission got.
    percent_of: Literal["points", "score"] = Field(default="points", description="points or score")
    # How many of a student's late days may go to one assignment.
    late_days_at_most: int | None = Field(default=None, ge=0, description="a whole number")

    @property
    def grace(self) -> timedelta:
        """How long after the due date nothing is late."""
        return timedelta(minutes=self.grace_minutes)

    def percent(self, days: int) -> float:
        """What so many days cost, in percent."""
        return min(self.percent_per_day * days, self.percent_at_most) if days > 0 else 0.0

    def costs(self, days: int, points: float, score: float) -> float:
        """What so many days cost, in points; points: what the assignment is worth."""
        percent = self.percent(days)
        if percent >= 100:  # also of what stands above the total
            return score
        return percent / 100 * (points if self.percent_of == "points" else score)

    def __str__(self) -> str:
        """The policy as a sentence for students."""
        if not self.percent_per_day:
            return "Late work costs nothing."
        if self.percent_per_day >= 100 and self.percent_at_most >= 100:
            return "Late work gets no points."
        of = "of the points" if self.percent_of == "points" else "of what it gets"
        cap = f", {self.percent_at_most:g} % at most" if self.percent_at_most < 100 else ""
        return f"Each day late costs {self.percent_per_day:g} % {of}{cap}."

    def with_late_days(self, days: int) -> str:
        """The same; days: the late days that each student has for the course."""
        most = days if self.late_days_at_most is None else min(days, self.late_days_at_most)
        if not most or not self.percent_per_day:
            return str(self)
        here = f", {most} at most for this assignment" if most < days else ""
        go = "it goes first, and costs" if days == 1 else "they go first, and cost"
        have = f"You have {counted(days, 'late day')} for the whole course{here}"
        return f"{self} {have}: {go} nothing."


def days_begun(late: timedelta) -> int:
    """How many days somebody is late: each one that has begun counts; 0 when in time."""
    return max(0, math.ceil(late / timedelta(days=1)))


def long(late: timedelta) -> str:
    """How long, as people say it: 2 days and 3 hours."""
    if late < timedelta(hours=1):
        return counted(max(1, round(late / timedelta(minutes=1))), "minute")
    hours = round(late / timedelta(hours=1))
    days, hours = divmod(hours, 24) if hours > 36 else (0, hours)
    return " and ".join(counted(n, word) for n, word in ((days, "day"), (hours, "hour")) if n)


def begun(late: timedelta, days: int) -> str:
    """What is told behind that: the days that have begun, if they count and are others."""
    said = counted(days, "day")
    return f", {said} begun" if days and said != long(late) else ""


def counted(number: int, word: str) -> str:
    """A number of things, in words: 1 day, 2 days."""
    return f"{number} {word}{'s' * (number != 1)}"


def as_words(moment: datetime) -> str:
    """A date and time as people write it, with its offset: in any country it is the same moment."""
    offset = moment.strftime("%z")
    where = f"UTC{offset[:3]}:{offset[3:5]}" if moment.utcoffset() else "UTC"
    return f"{moment:%A}, {moment.day} {moment:%B %Y, %H:%M} ({where})"
