"""The edits of a cell, in the order in which they are tried."""

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import libcst as cst

from autograder.repair import (
    calls,
    copied,
    donors,
    filling,
    grouped,
    idle,
    instead,
    lines,
    moved,
    values,
)
from autograder.repair.differing import OTHER_ORDER, beginning
from autograder.repair.rules import Place, alternatives
from autograder.repair.sisters import in_sisters
from autograder.repair.spot import Spot, spots
from autograder.repair.view import View, cut

AS_MUTANTS = 1  # the tier to which the rules belong that make mutants, too
_IN_SISTERS = 2  # the tier to which the same edits in several lines belong
_WHERE_IT_RAISED = 2  # the tier to which, in one line, the next one belongs: a call lacks something
_NOTHING = "pass"  # in the place of a statement
_RAISES = "raise", "assert"
_NAME = re.compile(r"[^\W\d]\w*")
Rule = Callable[[Spot], Iterator[str]]  # what may stand in the place of a spot


@dataclass(frozen=True)
class Edit:
    """A cell with one small change: its whole text, and where it differs."""

    text: str
    line: int
    tier: int  # the lower, the smaller, or the more often made
    missing: bool  # nothing there is wrong, but something is not there
    new: str  # what it puts in the place of the spot
    spot: Spot = field(repr=False)
    others: tuple[int, ...] = ()  # lines in which the same is done

    @property
    def source(self) -> str:
        """Its line, as it was."""
        return self.spot.view.line(self.line)

    @property
    def what(self) -> str:
        """The piece of code that was changed, as it was."""
        if self.exchanges_lines:
            return cut(self.source)
        return self.spot.view.told(self.spot.node)

    @property
    def beginning(self) -> str:
        """How the sentence about it begins."""
        if self.exchanges_lines:
            return OTHER_ORDER
        left = "_ " if self.compares else ""  # of a bound: what is compared stands before it
        return beginning(left + self.spot.source, left + self.new)

    @property
    def exchanges_lines(self) -> bool:
        """Whether it is about lines of a block, and not about the block."""
        return isinstance(self.spot.node, (cst.IndentedBlock, cst.Module))

    @property
    def makes(self) -> bool:
        """Whether modules may be made otherwise of it, and not only called."""
        around = self.spot.view.around(self.spot.node)
        within = [each.name.value for each in around if isinstance(each, cst.FunctionDef)]
        return not within or within[-1].startswith("__")

    @property
    def compares(self) -> bool:
        """Whether it is about a bound: of what is changed in a loop's head, that may well end."""
        return isinstance(self.spot.node, cst.ComparisonTarget)

    @property
    def goes_round(self) -> bool:
        """Whether an argument or an index is left out, or the line that raised: others may do so.

        But a line that does nothing but raise may well be wrong, and so may a dtype.
        """
        node, new = self.spot.node, self.new.strip()
        if isinstance(node, cst.Call) and new.startswith(f"{self.spot.view.source(node.func)}("):
            try:
                left = cst.parse_expression(new)
            except cst.ParserSyntaxError:
                return False
            if not isinstance(left, cst.Call) or len(left.args) >= len(node.args):
                return False
            return "dtype" not in _keywords(node) - _keywords(left)
        if isinstance(node, cst.Subscript) and new == self.spot.view.source(node.value):
            return True
        return new == _NOTHING and self.spot.raised and not self.source.startswith(_RAISES)

    @property
    def has_sister(self) -> bool:
        """Whether, but for names, its line reads as another of the cell does, and did not."""
        before, after = (_nameless(each) for each in (self.spot.view.text, self.text))
        lines = before.count(before[self.line - 1]), after.count(after[self.line - 1])
        return lines[0] == 1 < lines[1]


def _keywords(call: cst.Call) -> set[str]:
    return {each.keyword.value for each in call.args if each.keyword}


def _nameless(text: str) -> list[str]:
    return [_NAME.sub("", line.strip()) for line in text.splitlines()]


# By tier: what is smaller, or made more often, is tried first.
_INSTEAD: Sequence[Sequence[Rule]] = (
    (),
    (
        *(instead.operators, instead.names, instead.fields, instead.axes, instead.arguments),
        *(instead.methods, instead.conditions, instead.constants, donors.as_elsewhere),
        *(instead.ways_out, copied.numbered),
    ),
    (
        *(instead.fills, grouped.one_for_all, instead.parameters, instead.assignments),
        *(
            instead.blocks,
            instead.statements,
            moved.statements,
            donors.stated,
            instead.defaults,
            instead.tests,
        ),
        *(copied.as_sister, copied.in_a_call, instead.new_axes),
    ),
    (),
    (instead.sizes,),
)
_MISSING: Sequence[Sequence[Rule]] = (
    (idle.brought_in,),
    (),
    (
        *(calls.keywords, lines.kept, calls.several, values.roots, values.through),
        *(
            values.with_its_like,
            values.of_a_shape,
            donors.inserted,
            filling.named,
            filling.raised,
        ),
    ),
    (values.blocked, values.wrapped, calls.passed_on, values.as_in, lines.made_anew, calls.given),
    (lines.returned, filling.filled, values.operands),
)
TIERS = range(len(_INSTEAD))
# Of texts, in the grader's memory: three times as much as any sample has.
_MOST_BYTES = 1 << 26
# Of what is put in, in letters, which take time even where nothing changes: four times as many.
_MOST_WRITTEN = 1 << 20


class TooManyEdits(Exception):
    """A cell can be edited in so many ways that they are not looked at."""


def edits(view: View, tier: int) -> list[Edit]:
    """The edits of a cell of one tier, each once. Raises TooManyEdits."""
    found: dict[str, Edit] = {}
    most = _MOST_BYTES // sys.getsizeof(view.text)
    rules = [(False, each) for each in _INSTEAD[tier]] + [(True, each) for each in _MISSING[tier]]
    written = 0
    for each in _edits(view, tier, rules):
        if each.text != view.text:
            found.setdefault(each.text, each)
        written += len(each.new)
        if len(found) > most or written > _MOST_WRITTEN:
            raise TooManyEdits
    if tier == _IN_SISTERS:
        more = [*edits(view, AS_MUTANTS), *_edits(view, tier, [(False, instead.sizes)])]
        for each in (each for each in (*found.values(), *more) if each.text != view.text):
            sisters = in_sisters(view.text, each.text, each.line)
            if sisters is not None:
                text, others = sisters
                found.setdefault(text, replace(each, text=text, tier=tier, others=others))
    return list(found.values())


def _edits(view: View, tier: int, rules: Sequence[tuple[bool, Rule]]) -> Iterator[Edit]:
    """rules: each with whether it adds something."""
    for spot in spots(view):
        if view.reached(spot.node):
            for missing, new in _texts(spot, tier, rules):
                changed, line = view.with_span(*view.span(spot.node), new)
                yield Edit(changed, line, tier, missing, new, spot)


def _texts(spot: Spot, tier: int, rules: Sequence[tuple[bool, Rule]]) -> Iterator[tuple[bool, str]]:
    """What may stand in a spot: whether it is an addition, and the text."""
    if tier == AS_MUTANTS and not isinstance(spot.node, cst.BaseCompoundStatement):
        for new in alternatives(Place(spot.node, spot.parent, spot.bound)):
            if isinstance(new, cst.SimpleStatementLine):
                new = new.with_changes(leading_lines=[])
            yield False, spot.view.code(new).strip()
    for missing, rule in rules:
        yield from ((missing, text) for text in rule(spot))
    if tier == _WHERE_IT_RAISED and spot.raised:
        yield from ((True, text) for rule in _MISSING[tier + 1] for text in rule(spot))
