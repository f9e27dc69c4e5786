"""A place in a cell where something else may stand, and what surrounds it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import libcst as cst
from libcst.matchers import If, findall

from autograder.repair.rules import NO_VALUE, places
from autograder.repair.view import Kind, View

_PARTS = (
    *(cst.BaseExpression, cst.BaseStatement, cst.BaseSmallStatement, cst.BaseSuite),
    *(cst.ComparisonTarget, cst.Slice),
)


@dataclass(frozen=True)
class Spot:
    """A node of a cell, and what surrounds it."""

    node: cst.CSTNode
    parent: cst.CSTNode | None
    bound: list[str]
    view: View

    @property
    def source(self) -> str:
        """Its text."""
        return self.view.source(self.node)

    @property
    def line(self) -> int:
        """The line in which it begins, from 1."""
        return self.view.lines(self.node)[0]

    @property
    def atom(self) -> str:
        """Its text, so that a dot may follow it."""
        return self.view.atom(self.node)

    @cached_property
    def function(self) -> cst.FunctionDef | None:
        """The innermost function that it stands in."""
        above = self.view.around(self.node)
        return next((each for each in above if isinstance(each, cst.FunctionDef)), None)

    @cached_property
    def params(self) -> list[str]:
        """The parameters of its function."""
        params = self.function.params.params if self.function else ()
        return [each.name.value for each in params if each.name.value != "self"]

    @cached_property
    def names(self) -> list[str]:
        """What may be used here: parameters, and what is bound before in its function."""
        if self.function is None:
            return []
        start = self.view.span(self.node)[0]
        bound = (name for name, at in self.view.bound_in(self.function) if at < start)
        return list(dict.fromkeys((*self.params, *bound)))

    @cached_property
    def fields(self) -> list[str]:
        """What the class that it stands in keeps in `self`, and its methods.

        But for those by which it would be called again, without end: two of them in a line, and the
        line was taken for a loop, of which nothing more is tried.
        """
        found = self.view.fields_of(self.owner) if self.owner else []
        here = {"forward"} | ({self.function.name.value} if self.function else set())
        return [each for each in found if each not in here]

    @cached_property
    def owner(self) -> cst.ClassDef | None:
        """The innermost class that it stands in."""
        above = self.view.around(self.node)
        return next((each for each in above if isinstance(each, cst.ClassDef)), None)

    @property
    def raised(self) -> bool:
        """Whether an exception came out of its line while a question was answered."""
        return self.view.has_raised(self.node)

    @property
    def kind(self) -> Kind | None:
        """What it is while a question is answered, if that is known."""
        return self.view.kind(self.node)

    @cached_property
    def kinds(self) -> dict[str, Kind]:
        """What the names and fields are that are used in its function, as far as is known."""
        return self.view.kinds_in(self.function) if self.function else {}

    @cached_property
    def known_fields(self) -> list[str]:
        """The fields of `self` that are numbers or tensors, as they are written in its class."""
        known = self.view.kinds_in(self.owner) if self.owner else {}
        # What was not used yet is mostly kept under the name under which it came.
        kinds = [
            (f"self.{each}", known.get(f"self.{each}", known.get(each))) for each in self.fields
        ]
        return [each for each, kind in kinds if kind and (kind.is_tensor or kind.is_number)]

    @cached_property
    def is_value(self) -> bool:
        """Whether it is an expression whose value is used, and no module such as torch."""
        node, parent = self.node, self.parent
        if not isinstance(node, cst.BaseExpression):
            return False
        if isinstance(parent, cst.Attribute) and parent.attr is node:
            return False
        if isinstance(parent, cst.Call) and parent.func is node:
            return False
        if isinstance(parent, cst.Arg) and parent.value is not node:
            return False
        if isinstance(parent, (cst.Param, cst.FunctionDef, cst.ClassDef, cst.NameItem, cst.AsName)):
            return isinstance(parent, cst.Param) and parent.default is node
        for inner, outer in pairwise(self.view.around(node)):
            if isinstance(outer, (cst.For, cst.CompFor, cst.AugAssign, cst.AnnAssign)):
                if outer.target is inner:
                    return False
            elif isinstance(outer, (cst.Import, cst.ImportFrom, cst.Decorator, cst.Del)):
                return False
            elif isinstance(outer, cst.BaseStatement):
                break
        return not (isinstance(node, cst.Name) and node.value in NO_VALUE)


def raising(view: View, line: int | None) -> set[int]:
    """The line that raises an exception, or where it is told to, that of the test by which it does.

    line: None where nothing was raised, and should be: then those of all tests.
    """
    if line is None:
        lines = range(1, len(view.text.splitlines()) + 1)
        return {each for at in lines if _raises(view, at) for each in raising(view, at)}
    if not _raises(view, line):
        return {line}
    tests = [view.lines(each) for each in findall(view.module, If())]
    return {max((each[0] for each in tests if line in each), default=line)}


def _raises(view: View, line: int) -> bool:
    return any(x.strip().startswith("raise") for x in view.text.splitlines()[line - 1 : line])


def spots(view: View) -> Iterator[Spot]:
    """Every place of a cell in which something else may stand."""
    for place in places(view.module):
        start, end = view.span(place.node) if isinstance(place.node, _PARTS) else (0, 0)
        if start < end:
            yield Spot(place.node, place.parent, place.bound, view)
