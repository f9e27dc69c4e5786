"""What one student has in one assignment, as staff see it: the score, and what waits."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from autograder.course import Result, Verdict
from autograder.export.formats.marks import State
from autograder.export.standing import Standing

__all__ = ["STATES", "Entry"]

# What staff look for, and what a page calls it.
STATES: Mapping[str, str] = MappingProxyType(
    {
        "staff": "needs staff",
        "waits": "to be read",
        "late": "late",
        "limit": "hit a limit",
        "unknown": "not on the roster",
        "missing": "not handed in",
    }
)
_LIMITS = (Verdict.TIMEOUT, Verdict.MEMORY)


@dataclass(frozen=True)
class Entry:
    """A result, and what the gradebook says beside it."""

    result: Result
    standing: Standing | None
    link: str | None  # quoted, to the feedback page; None where there is none
    unknown: bool = False  # to the roster

    @property
    def total(self) -> float | None:
        """The score with what people gave and what late work costs, as far as it is known."""
        return self.standing.score(self.result) if self.standing else self.result.score

    @property
    def assignment(self) -> str:
        """Its id."""
        return self.result.assignment

    @property
    def state(self) -> State:
        """How it stands, as exports say it."""
        if self.result.needs_staff:
            return State.STAFF
        if self.standing is None:
            return State.UNGRADED
        return State.GRADED if self.standing.settled else State.WAITS

    @property
    def score(self) -> float | None:
        """The total, once nobody has to look at it any more: what counts for the course."""
        return self.total if self.state is State.GRADED else None

    @cached_property
    def states(self) -> tuple[str, ...]:
        """Which of STATES it is in."""
        there = {
            "staff": self.result.asks_for_staff,
            "waits": self.state is State.WAITS and not self.result.asks_for_staff,
            "late": bool(self.standing and self.standing.seconds_late),
            "limit": any(item.verdict in _LIMITS for item in self.result.items),
            "unknown": self.unknown,
        }
        return tuple(state for state, holds in there.items() if holds)
