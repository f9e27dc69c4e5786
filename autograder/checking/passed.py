"""With which answers a check was passed: who gives the same ones, to the last bit, passes it, too.

A check draws from its own seed and asks the reference, which is the same for all: what it finds
hangs on the submission's answers alone. Most of a class gives one of a few answers, which differ
in how numbers were rounded; so a check is run for each of those once, not for each submission. Of
one that is not passed everything is looked at, each time.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from autograder.asking import Digests, Question, RemoteStudent

if TYPE_CHECKING:
    from autograder.checking.runner import CheckOutcome

_KEPT = 16  # ways to pass a check; so many kinds of rounding hardly any class has


class Passed:
    """The answers with which one check was passed, and what it found then."""

    def __init__(self) -> None:
        self._asked: tuple[Question, ...] = ()  # what it asks, which was foreseen
        self._found: dict[Digests, CheckOutcome] = {}

    def by(self, student: RemoteStudent) -> CheckOutcome | None:
        """What the check finds, if this student gives answers that are known."""
        if not self._found:
            return None
        heard = student.repeats(self._asked, self._found.keys())
        return None if heard is None else self._found[heard]

    def keep(self, asked: tuple[Question, ...], answers: Digests, outcome: CheckOutcome) -> None:
        """The check was passed with these answers to foreseen questions."""
        if not self._found:
            self._asked = asked
        if asked == self._asked and len(self._found) < _KEPT:
            first = next(iter(self._found.values()), outcome)
            self._found[answers] = replace(outcome, asked=first.asked)  # which is the same
