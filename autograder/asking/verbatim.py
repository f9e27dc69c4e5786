"""Answers as they came, byte for byte: what was looked at once need not be looked at again.

A check is a function of the answers that it gets. Whoever passed it gave certain ones; where those
of another submission are the same to the last bit, it would be passed again, and need not be run:
see `RemoteStudent.repeats`, and the runner.
"""

from collections import deque

from autograder.asking.student import Question, StudentError
from autograder.sandbox import wire

Heard = wire.Frame | StudentError
Digests = tuple[bytes, ...]


class Verbatim:
    """What is heard while a check runs, and what was heard before anybody asked for it."""

    def __init__(self) -> None:
        self._noted: list[tuple[Question, bytes]] | None = None
        self._waiting: deque[tuple[Question, int, Heard]] = deque()

    def listen(self) -> None:
        """From now on, note what is heard."""
        self._noted = []

    def note(self, question: Question | None, frame: wire.Frame) -> None:
        """An answer was heard, to a question that was foreseen."""
        if self._noted is not None:
            self._noted = [*self._noted, (question, frame.digest)] if question else None

    def skip(self) -> None:
        """Something was heard that nobody asked for: what was noted would not come again so."""
        self._noted = None

    def noted(self) -> tuple[tuple[Question, ...], Digests] | None:
        """The questions and the answers since `listen`, if all of them were foreseen."""
        noted, self._noted = self._noted, None
        return (tuple(q for q, _ in noted), tuple(each for _, each in noted)) if noted else None

    def wait(self, question: Question, at: int, heard: Heard) -> None:
        """Keep what was heard until it is asked for."""
        self._waiting.append((question, at, heard))

    def taken(self, question: Question) -> tuple[int, Heard] | None:
        """What waits for this question, if that is the first of what waits."""
        if not self._waiting or not self._waiting[0][0].is_same(question):
            return None
        return self._waiting.popleft()[1:]

    def all_taken(self) -> list[tuple[Question, int, Heard]]:
        """All that waits."""
        found = list(self._waiting)
        self._waiting.clear()
        return found
