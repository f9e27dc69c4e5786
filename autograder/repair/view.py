"""A cell of a submission as a tree, and where each part of the tree stands in its text."""

import ast
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import libcst as cst
from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper

from autograder.repair.rules import NO_VALUE, places

_DEEPEST = 100  # levels of a tree: libcst's parser has no bound of its own
_LONGEST = 1 << 15  # bytes of a cell: nobody writes so much by hand
_ATOMS = (
    *(cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.Integer, cst.Float),
    *(cst.List, cst.Dict, cst.Set, cst.ListComp, cst.SimpleString, cst.ConcatenatedString),
)
_TOLD = 70  # characters of a piece of code


class View:
    """One cell's text and tree. Raises ValueError where there is no tree, or one too deep."""

    def __init__(self, text: str) -> None:
        if len(text) > _LONGEST or _depth(text) > _DEEPEST:
            raise ValueError("the cell is too long, or nested too deeply")
        self.text = text
        self._bytes = text.encode()
        try:
            wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
        except cst.ParserSyntaxError as error:
            raise ValueError(str(error)) from error
        self.module = wrapper.module
        self._spans = wrapper.resolve(ByteSpanPositionProvider)
        self._parents = dict(_children(self.module))

    def spots(self) -> Iterator["Spot"]:
        """Every part of the tree in whose place something else may stand."""
        for place in places(self.module):
            if place.node in self._spans:
                yield Spot(place.node, place.parent, place.bound, self)

    def span(self, node: cst.CSTNode) -> tuple[int, int]:
        """From which byte to which a node goes, without its parentheses."""
        found = self._spans[node]
        return found.start, found.start + found.length

    def source(self, node: cst.CSTNode) -> str:
        """The text of a node, without its parentheses."""
        start, end = self.span(node)
        return self._bytes[start:end].decode()

    def atom(self, node: cst.CSTNode) -> str:
        """The text of a node, so that a dot or an operator may follow it."""
        source = self.source(node)
        return source if isinstance(node, _ATOMS) else f"({source})"

    def with_span(self, start: int, end: int, new: str) -> tuple[str, int]:
        """The text with other words from one byte to another, and the line where it differs."""
        changed = new.encode()
        alike = len(os.path.commonprefix([self._bytes[start:end], changed]))
        text = (self._bytes[:start] + changed + self._bytes[end:]).decode()
        return text, 1 + self._bytes.count(b"\n", 0, start + alike)

    def line(self, number: int) -> str:
        """One line, as it is told."""
        return self.text.splitlines()[number - 1].strip()

    def code(self, node: cst.CSTNode) -> str:
        """The text of a node that is new."""
        code = self.module.code_for_node(node)
        loose = isinstance(node, cst.BaseExpression) and not isinstance(node, _ATOMS)
        return f"({code})" if loose else code

    def around(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """The node and all that it stands in, from the inside."""
        found: cst.CSTNode | None = node
        while found is not None:
            yield found
            found = self._parents.get(found)

    def told(self, node: cst.CSTNode) -> str:
        """The smallest piece of code around a node that says something."""
        said = ""
        for each in self.around(node):
            if not isinstance(each, (cst.BaseExpression, cst.BaseSmallStatement)):
                if isinstance(each, (cst.BaseStatement, cst.BaseSuite, cst.Module)):
                    break
                continue
            source = " ".join(self.source(each).split()) if each in self._spans else ""
            if len(source) > _TOLD:
                break
            said = source or said
            if not isinstance(each, (cst.Name, cst.BaseNumber)):
                break
        return said or self.source(node).partition("\n")[0][:_TOLD]


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
        found = list(self.params)
        for name, at in _bound(self.function, self.view):
            if at < start:
                found.append(name)
        return list(dict.fromkeys(found))

    @cached_property
    def fields(self) -> list[str]:
        """What the class that it stands in keeps in `self`, and its methods."""
        above = self.view.around(self.node)
        owner = next((each for each in above if isinstance(each, cst.ClassDef)), None)
        return _fields(owner) if owner else []

    @property
    def is_value(self) -> bool:
        """Whether it is an expression whose value is used, and no module such as torch."""
        node, parent = self.node, self.parent
        if not isinstance(node, cst.BaseExpression):
            return False
        if isinstance(parent, cst.Attribute):
            if parent.attr is node:
                return False
        if isinstance(parent, cst.Call) and parent.func is node:
            return False
        if isinstance(parent, cst.Arg) and parent.value is not node:
            return False
        if isinstance(parent, (cst.Param, cst.FunctionDef, cst.ClassDef, cst.NameItem)):
            return isinstance(parent, cst.Param) and parent.default is node
        if isinstance(parent, (cst.For, cst.CompFor)):
            return parent.iter is node
        if isinstance(parent, (cst.Import, cst.ImportAlias, cst.ImportFrom, cst.AsName)):
            return False
        return not (isinstance(node, cst.Name) and node.value in NO_VALUE)


def _depth(text: str) -> int:
    try:
        level: list[ast.AST] = [ast.parse(text)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _DEEPEST + 1
    depth = 0
    while level and depth <= _DEEPEST:
        level = [child for each in level for child in ast.iter_child_nodes(each)]
        depth += 1
    return depth


def _children(node: cst.CSTNode) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
    for child in node.children:
        yield child, node
        yield from _children(child)


def _bound(node: cst.CSTNode, view: View) -> Iterator[tuple[str, int]]:
    """The names that are bound in a function, and from where on they are."""
    if isinstance(node, (cst.AssignTarget, cst.CompFor, cst.For, cst.AsName)):
        target = node.name if isinstance(node, cst.AsName) else node.target
        end = view.span(node)[0 if isinstance(node, (cst.CompFor, cst.For)) else 1]
        if isinstance(node, cst.CompFor):
            end = 0
        for each in _names_in(target):
            yield each, end
    for child in node.children:
        yield from _bound(child, view)


def _names_in(target: cst.CSTNode) -> Iterator[str]:
    if isinstance(target, cst.Name):
        yield target.value
    elif isinstance(target, (cst.Tuple, cst.List)):
        for each in target.elements:
            yield from _names_in(each.value)


def _fields(owner: cst.ClassDef) -> list[str]:
    found: list[str] = []
    waiting: list[cst.CSTNode] = [owner.body]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, cst.FunctionDef) and not node.name.value.startswith("__"):
            found.append(node.name.value)
        if isinstance(node, cst.AssignTarget):
            target = node.target
            parts = [e.value for e in target.elements] if isinstance(target, cst.Tuple) else [target]
            found += [
                each.attr.value
                for each in parts
                if isinstance(each, cst.Attribute)
                and isinstance(each.value, cst.Name)
                and each.value.value == "self"
            ]
        waiting += node.children
    return list(dict.fromkeys(found))
