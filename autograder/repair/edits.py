"""The edits of a cell, in the order in which they are tried."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import libcst as cst

from autograder.repair import calls, instead, lines, values
from autograder.repair.rules import Place, alternatives
from autograder.repair.spot import Spot, spots
from autograder.repair.view import View

_NAME = re.compile(r"[^\W\d]\w*")
Rule = Callable[[Spot], Iterator[str]]  # what may stand in the place of a spot


@dataclass(frozen=True)
class Edit:
    """A cell with one small change: its whole text, and where it differs."""

    text: str
    line: int
    tier: int  # the lower, the smaller, or the more often made
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

    @property
    def has_sister(self) -> bool:
        """Whether, but for names, its line then reads as another of the cell does."""
        lines = [_NAME.sub("", line.strip()) for line in self.text.splitlines()]
        return lines.count(lines[self.line - 1]) > 1


# By tier: what is smaller, or made more often, is tried first.
_INSTEAD: Sequence[Sequence[Rule]] = (
    (
        *(instead.operators, instead.names, instead.fields, instead.axes, instead.arguments),
        *(instead.methods, instead.conditions, instead.constants),
    ),
    (
        *(instead.fills, instead.one_for_all, instead.parameters, instead.assignments),
        *(instead.blocks, instead.statements),
    ),
    (),
    (instead.sizes,),
)
_MISSING: Sequence[Sequence[Rule]] = (
    (),
    (calls.keywords, lines.kept, calls.several, values.roots, values.through),
    (values.wrapped, calls.passed_on, values.as_in, lines.made_anew, calls.given),
    (lines.returned, values.operands),
)
TIERS = range(len(_INSTEAD))


def edits(view: View, tier: int) -> list[Edit]:
    """The edits of a cell of one tier, each once."""
    found: dict[str, Edit] = {}
    for spot in spots(view):
        if not view.reached(spot.node):
            continue
        for missing, new in _texts(spot, tier):
            changed, line = view.with_span(*view.span(spot.node), new)
            if changed != view.text and changed not in found:
                found[changed] = Edit(changed, line, tier, missing, spot)
    return list(found.values())


def _texts(spot: Spot, tier: int) -> Iterator[tuple[bool, str]]:
    """What may stand in a spot: whether it is an addition, and the text."""
    if tier == 0 and not isinstance(spot.node, cst.BaseCompoundStatement):
        for new in alternatives(Place(spot.node, spot.parent, spot.bound)):
            if isinstance(new, cst.SimpleStatementLine):
                new = new.with_changes(leading_lines=[])
            yield False, spot.view.code(new).strip()
    for missing, rules in ((False, _INSTEAD), (True, _MISSING)):
        for rule in rules[tier]:
            yield from ((missing, text) for text in rule(spot))
