"""How a class stands in an assignment, counted once: every page has the same numbers.

Graded is who has a score, on the roster or not. Not handed in is who stands on the roster and of
whom nothing is there; without a roster nobody can know. Mean and median are of what the checks
gave, which `autograder grade` tells, too; what people gave and late work costs makes a mean of its
own, as soon as nobody has anything left to read.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean, median

from autograder.course import Assignment
from autograder.export.entry import Entry
from autograder.export.people import Who
from autograder.export.settings import Settings
from autograder.notebooks import has_handed_in

__all__ = ["Tally", "not_graded"]


@dataclass(frozen=True)
class Tally:
    """An assignment's class: who was graded, with what, and who was not."""

    assignment: Assignment
    entries: Mapping[str, Entry]  # by student
    people: Mapping[str, Who]  # everybody of the course, by id
    ungraded: Collection[str]  # handed in, and there is no result yet

    @cached_property
    def scores(self) -> list[float]:
        """What the checks gave, to each that has a score."""
        scores = (each.result.score for each in self.entries.values())
        return [score for score in scores if score is not None]

    @property
    def mean(self) -> float | None:
        """Of the checks."""
        return fmean(self.scores) if self.scores else None

    @property
    def median(self) -> float | None:
        """Of the checks."""
        return median(self.scores) if self.scores else None

    @cached_property
    def is_more(self) -> bool:
        """Whether anything but the checks counts: what people give, or what late work costs."""
        return bool(self.assignment.manual) or self._totals != self.scores

    @property
    def mean_in_all(self) -> float | None:
        """Of all that counts; None while people have yet to read."""
        return fmean(self._totals) if self._totals and not self.in_state["waits"] else None

    @property
    def _totals(self) -> list[float]:
        return [each.total for each in self.entries.values() if each.total is not None]

    @cached_property
    def waiting(self) -> dict[str, Who]:
        """Who has handed in and was not graded, by id."""
        return {id: who for id, who in self.people.items() if id in self.ungraded}

    @cached_property
    def missing(self) -> dict[str, Who]:
        """Who is on the roster and has not handed in, by id."""
        there = {*self.entries, *self.ungraded}
        return {id: who for id, who in self.people.items() if who.listed and id not in there}

    @cached_property
    def in_state(self) -> Counter[str]:
        """How many are in which of STATES."""
        states = Counter(state for each in self.entries.values() for state in each.states)
        return states + Counter(missing=len(self.missing))


def not_graded(
    assignment_id: str, people: Collection[str], graded: Collection[str], settings: Settings
) -> set[str]:
    """Who of these people has handed in, and is not graded."""
    return {
        student
        for student in set(people) - set(graded)
        if has_handed_in(settings.submitted(student, assignment_id).parent, assignment_id)
    }
