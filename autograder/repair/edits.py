"""The edits of a cell, in the order in which they are tried."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import libcst as cst

from autograder.repair.instead import INSTEAD
from autograder.repair.missing import MISSING
from autograder.repair.rules import Place, alternatives
from autograder.repair.view import Spot, View


@dataclass(frozen=True)
class Edit:
    """A cell with one small change: its whole text, and where it differs."""

    text: str
    line: int
    missing: bool  # nothing there is wrong, but something is not there
    spot: Spot = field(repr=False)

    @property
    def source(self) -> str:
        """Its line, as it was."""
        return self.spot.view.line(self.line)

    @property
    def what(self) -> str:
        """The piece of code that was changed, as it was."""
        return self.spot.view.told(self.spot.node)


TIERS = range(4)


def edits(view: View, tier: int) -> list[Edit]:
    """The edits of a cell of one tier, each once."""
    found: dict[str, Edit] = {}
    for spot in view.spots():
        if not view.reached(spot.node):
            continue
        for missing, new in _texts(spot, tier):
            changed, line = view.with_span(*view.span(spot.node), new)
            if changed != view.text and changed not in found:
                found[changed] = Edit(changed, line, missing, spot)
    return list(found.values())


def _texts(spot: Spot, tier: int) -> Iterator[tuple[bool, str]]:
    """What may stand in a spot: whether it is an addition, and the text."""
    if tier == 0 and not isinstance(spot.node, cst.BaseCompoundStatement):
        for new in alternatives(Place(spot.node, spot.parent, spot.bound)):
            if isinstance(new, cst.SimpleStatementLine):
                new = new.with_changes(leading_lines=[])
            yield False, spot.view.code(new).strip()
    for missing, rules in ((False, INSTEAD), (True, MISSING)):
        for rule in (rule for at, rule in rules if at == tier):
            yield from ((missing, text) for text in rule(spot))
