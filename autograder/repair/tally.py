"""Which edits are still worth trying, after what those of the same line and piece have brought."""

from collections import Counter
from dataclasses import dataclass, field

import libcst as cst

from autograder.repair.edits import Edit

_PARTS = 3  # edits of one line that mend some of it: what they mend is known
_ENDLESS = 2  # edits of one piece that do not end: it is in the head of a loop
_LOOPS = 4 * _ENDLESS  # the same of one line: each takes as long as a hundred others


@dataclass
class Tally:
    """Of the edits that were tried, by line."""

    _proven: set[int] = field(default_factory=set)
    _counted: Counter[int] = field(default_factory=Counter)
    _endless: Counter[int | cst.CSTNode] = field(default_factory=Counter)

    def did_not_end(self, edit: Edit) -> None:
        """One more that does not end."""
        self._endless.update([edit.line, edit.spot.node])

    def proves(self, edit: Edit, final: bool) -> None:
        """One more that mends something; final: nothing can be better, is another line as good?"""
        self._counted[edit.line] += 1
        if final:
            self._proven.add(edit.line)

    def asks_more(self, edit: Edit) -> bool:
        """Whether one that makes the first case right is to be asked the others."""
        return edit.line not in self._proven and self._counted[edit.line] < _PARTS

    def tries(self, edit: Edit) -> bool:
        """Whether one is to be tried at all."""
        loops = self._endless[edit.line] < _LOOPS and self._endless[edit.spot.node] < _ENDLESS
        return loops and edit.line not in self._proven
