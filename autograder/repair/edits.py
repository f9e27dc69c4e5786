"""The edits of a cell, in the order in which they are tried."""

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from autograder.repair.instead import INSTEAD
from autograder.repair.missing import MISSING
from autograder.repair.rules import Place, alternatives
from autograder.repair.view import Spot, View


@dataclass(frozen=True)
class Edit:
    """A cell with one small change: its whole text, where it differs, what stands there."""

    text: str
    line: int
    source: str  # that line as it was
    what: str  # the piece of code that was changed
    missing: bool  # nothing there is wrong, but something is not there
    tier: int  # the lower, the smaller


def edits(text: str) -> list[Edit]:
    """Every edit of a cell, the smallest first, each once; none of a cell that has no tree."""
    try:
        view = View(text)
    except ValueError:
        return []
    found: dict[str, Edit] = {}
    for spot in view.spots():
        for tier, missing, new in _texts(spot):
            changed, line = view.with_span(*view.span(spot.node), new)
            old = found.get(changed)
            if changed != text and (old is None or old.tier > tier):
                what = view.told(spot.node)
                found[changed] = Edit(changed, line, view.line(line), what, missing, tier)
    return sorted(found.values(), key=lambda each: (each.tier, each.line))


def _texts(spot: Spot) -> Iterator[tuple[int, bool, str]]:
    """What may stand in a spot: of which tier, whether it is an addition, and the text."""
    if not isinstance(spot.node, cst.BaseCompoundStatement):
        for new in alternatives(Place(spot.node, spot.parent, spot.bound)):
            if isinstance(new, cst.SimpleStatementLine):
                new = new.with_changes(leading_lines=[])
            yield 0, False, spot.view.code(new).strip()
    for tier, rule in INSTEAD:
        for text in rule(spot):
            yield tier, False, text
    for tier, rule in MISSING:
        for text in rule(spot):
            yield tier, True, text
