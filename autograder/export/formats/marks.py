"""What is exported: the marks of a class, as every format takes them and JSON has them.

No score is None, never 0. Points are as in the gradebook.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict

from autograder.course import Assignment, Mistake, Verdict

__all__ = ["About", "Learner", "Mark", "Marks", "Part", "State", "Total", "Work", "total"]


class State(StrEnum):
    """How a student stands in an assignment; only the first has a score of its own."""

    GRADED = "graded"
    WAITS = "waits for people"  # who have yet to give points, or to look at those they gave
    STAFF = "needs staff"  # our fault, or not to be read
    UNGRADED = "not graded"  # handed in, and not in the gradebook
    ABSENT = "not handed in"
    STRANGER = "not on the roster"  # and nothing is there: nobody expects it of them


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Part(_Entry):
    """What an assignment gives points for. extra: above what the assignment is worth."""

    id: str
    title: str
    points: float
    extra: bool
    by_people: bool  # and not by checks


class About(_Entry):
    """An assignment: what it is worth, and counts in the total (its points without a weight).

    extra: it adds above the total.
    """

    id: str
    title: str
    points: float
    weight: float
    extra: bool
    due: datetime | None
    parts: tuple[Part, ...]

    @classmethod
    def of(cls, assignment: Assignment) -> "About":
        """What is told of an assignment of course.yml."""
        parts = [
            Part(
                id=each.id,
                title=each.title,
                points=each.points,
                extra=each.extra,
                by_people=each in assignment.manual,
            )
            for each in (*assignment.items, *assignment.manual)
        ]
        return cls(
            id=assignment.id,
            title=assignment.title,
            points=assignment.worth,
            weight=assignment.worth if assignment.weight is None else assignment.weight,
            extra=assignment.extra,
            due=assignment.dates.due if assignment.dates else None,
            parts=tuple(parts),
        )


class Mark(_Entry):
    """What a student got for a part. by_hand: people gave it. mistakes: those with a name."""

    part: str
    score: float | None
    by_hand: bool
    verdict: Verdict | None  # of the checks
    mistakes: tuple[str, ...]
    comment: str | None


class Work(_Entry):
    """A student's assignment. The score is that of all parts, less the penalty for late work."""

    assignment: str
    state: State
    score: float | None
    points: float
    penalty: float
    handed_in: datetime | None  # in UTC
    seconds_late: float  # behind the due date, with grace and extension
    late_days: int  # of the student's, that went to it
    marks: tuple[Mark, ...]
    mistakes: tuple[Mistake, ...]


class Total(_Entry):
    """Over all that has a score, and of no more than that; `without` says what has none, and why.

    percent is weighted: the sum of weight * score / points, divided by that of the weights. What is
    extra adds to the score and to the percentage alone.
    """

    score: float | None
    points: float | None
    percent: float | None
    without: dict[str, State]


class Learner(_Entry):
    """A student, as the roster has them, or else the gradebook."""

    id: str
    name: str
    first_name: str
    last_name: str
    email: str
    section: str
    lms: dict[str, str]
    work: tuple[Work, ...]  # in the order of the assignments
    total: Total

    @property
    def sorted_name(self) -> str:
        """The last name first, as systems sort."""
        both = f"{self.last_name}, {self.first_name}"
        return both if self.last_name and self.first_name else self.name


class Marks(_Entry):
    """A class."""

    format: Literal["autograder marks 1"] = "autograder marks 1"
    course: str
    assignments: tuple[About, ...]
    students: tuple[Learner, ...]


class Scored(Protocol):
    """A student's work in an assignment, as far as a total asks for it."""

    @property
    def assignment(self) -> str:
        """Its id."""

    @property
    def score(self) -> float | None:
        """What counts; None: nothing yet."""

    @property
    def state(self) -> State:
        """Why, where nothing does."""


def total(assignments: Sequence[About], work: Sequence[Scored]) -> Total:
    """A student's total, over the assignments that have a score."""
    by_id: Mapping[str, About] = {each.id: each for each in assignments}
    scored = [(by_id[each.assignment], each.score) for each in work if each.score is not None]
    without = {each.assignment: each.state for each in work if each.score is None}
    if not scored:
        return Total(score=None, points=None, percent=None, without=without)
    counted = [about for about, _ in scored if not about.extra]
    weights = sum(about.weight for about in counted if about.points)
    share = sum(about.weight * score / about.points for about, score in scored if about.points)
    return Total(
        score=sum(score for _, score in scored),
        points=sum(about.points for about in counted),
        percent=100 * share / weights if weights else None,
        without=without,
    )
