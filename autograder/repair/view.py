"""A cell of a submission as a tree, and where each part of the tree stands in its text."""

import ast
import builtins
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import takewhile

import libcst as cst
from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper

from autograder.repair.rules import children

_DEEPEST = 100  # levels of a tree: libcst's parser has no bound of its own
_LONGEST = 1 << 15  # bytes of a cell: nobody writes so much by hand
_MOST = 2_500  # nodes of Python's tree: three times what any sample has
_ATOMS = (
    *(cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.Integer, cst.Float),
    *(cst.List, cst.Dict, cst.Set, cst.ListComp, cst.SimpleString, cst.ConcatenatedString),
)
_BRACKETS = re.compile(r"([(\[][^)\]]*){8}")  # so many are open at once
_TOLD = 70  # characters of a piece of code


@dataclass(frozen=True)
class Kind:
    """What a piece of code was when it was first reached: its type, and a tensor's shape."""

    name: str
    shape: tuple[int, ...] | None

    @property
    def is_tensor(self) -> bool:
        """Whether it is a tensor."""
        return self.shape is not None

    @property
    def is_bool(self) -> bool:
        """Whether it is a tensor of truth values."""
        return self.name == "torch.bool"

    @property
    def is_floating(self) -> bool:
        """Whether it is a tensor of numbers that are not whole."""
        return self.name.startswith("torch.float")

    @property
    def is_number(self) -> bool:
        """Whether it is a number of Python's."""
        return self.name in ("int", "float")


class View:
    """One cell's text and tree. Raises ValueError where there is no tree, or one too deep.

    others: the same of the submission's other cells.
    """

    def __init__(self, text: str, others: "Sequence[View]" = ()) -> None:
        if len(text) > _LONGEST or _depth(text) > _DEEPEST or text.startswith("\f"):
            raise ValueError("the cell is too long, too deep, or libcst tells its places wrong")
        self.text = text
        self.all = self, *others
        self._bytes = text.encode()
        try:
            wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
        except cst.ParserSyntaxError as error:
            raise ValueError(str(error)) from error
        self.module = wrapper.module
        self._spans = wrapper.resolve(ByteSpanPositionProvider)
        self._parents = dict(_children(self.module))
        self._kinds: Mapping[cst.CSTNode, Kind] | None = None
        self._reached: set[cst.CSTNode] = set()
        self._raised: Collection[int] = ()
        # Found once for each function or class, and forgotten with the view.
        self.bound_in = cache(self._bound_in)
        self.bound_values = cache(self._bound_values)
        self.fields_of = cache(_fields)
        self.kinds_in = cache(self._kinds_in)

    def learn(self, kinds: Mapping[cst.CSTNode, Kind], raised: Collection[int]) -> None:
        """Keep what its parts are while a question is answered; none: nothing is known.

        raised: the lines by which an exception was raised then: they were reached, too.
        """
        self._kinds = kinds or None
        self._raised = raised
        self.kinds_in.cache_clear()
        self._reached = {each for node in kinds for each in self.around(node)}

    def lines(self, node: cst.CSTNode) -> range:
        """The lines of a node, from 1."""
        start, end = self.span(node)
        first, last = (1 + self._bytes.count(b"\n", 0, at) for at in (start, end))
        return range(first, last + 1)

    def indent(self, at: int) -> str:
        """What stands before a byte in its line."""
        before = self._bytes[:at].decode()
        return before[before.rfind("\n") + 1 :]

    def kind(self, node: cst.CSTNode) -> Kind | None:
        """What a node is, if that is known."""
        return None if self._kinds is None else self._kinds.get(node)

    def has_raised(self, node: cst.CSTNode) -> bool:
        """Whether a line by which an exception was raised is one of a node's."""
        return any(each in self.lines(node) for each in self._raised)

    def reached(self, node: cst.CSTNode) -> bool:
        """Whether a node's statement was reached, as far as that is known."""
        if self._kinds is None:
            return True
        for each in self.around(node):
            if isinstance(each, (cst.BaseStatement, cst.BaseSuite)):
                return (
                    each in self._reached
                    or not any(map(_says, children(each)))
                    or self.has_raised(each)
                )
        return True

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
        pairs = zip(self._bytes[start:end], changed, strict=False)
        alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
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

    def _bound_in(self, function: cst.FunctionDef) -> list[tuple[str, int]]:
        """The names that are bound in a function, and from which byte on they are."""
        return list(_bound(function, self))

    def _bound_values(self, function: cst.FunctionDef) -> list[cst.BaseExpression]:
        """What is bound to names and fields in a function."""
        found = (node for node in self._parents if isinstance(node, cst.Assign))
        return [node.value for node in found if function in self.around(node)]

    def _kinds_in(self, function: cst.CSTNode) -> dict[str, Kind]:
        """What the names and fields of a function are, as far as is known."""
        found: dict[str, Kind] = {}
        for node, kind in (self._kinds or {}).items():
            if isinstance(node, (cst.Name, cst.Attribute)) and function in self.around(node):
                found.setdefault(self.source(node), kind)
        return found

    def unbound(self, function: cst.FunctionDef) -> list[str]:
        """The names that a function uses, and binds nowhere, and that are no others' either."""
        tree = ast.parse(self.text)
        bound = {name for name, _ in self.bound_in(function)}
        names = [each for each in ast.walk(tree) if isinstance(each, ast.Name)]
        stored = {each.id for each in names if not isinstance(each.ctx, ast.Load)}
        args = {each.arg for each in ast.walk(tree) if isinstance(each, ast.arg)}
        kinds = ast.ClassDef, ast.FunctionDef
        made = {each.name for each in ast.walk(tree) if isinstance(each, kinds)}
        known = stored | bound | args | made | {*dir(builtins), "torch", "nn", "math", "F"}
        return list(dict.fromkeys(each.id for each in names if each.id not in known))

    def unkept(self, node: cst.CSTNode) -> list[str]:
        """The fields of `self` that are used around a node, and that its class keeps nowhere."""
        owner = next((x for x in self.around(node) if isinstance(x, cst.ClassDef)), None)
        if owner is None:
            return []
        kept = self.fields_of(owner)
        found = re.findall(r"\bself\.(\w+)", self.source(owner))
        return [each for each in dict.fromkeys(found) if each not in kept]

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
        return said or cut(self.source(node).partition("\n")[0])


def cut(source: str) -> str:
    """A piece of code as it is told: not too long."""
    return source if len(source) <= _TOLD else f"{source[: _TOLD - 1]}\u2026"


def _says(node: cst.CSTNode) -> bool:
    return not isinstance(node, (cst.Pass, cst.Break, cst.Continue, cst.TrailingWhitespace))


def _depth(text: str) -> int:
    try:
        level: list[ast.AST] = [ast.parse(text)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _DEEPEST + 1
    if any(isinstance(each, ast.Match) for each in ast.walk(level[0])) and _BRACKETS.search(text):
        return _DEEPEST + 1  # each parenthesis in a pattern takes libcst twice as long
    depth = number = 0
    while level and depth <= _DEEPEST:
        level = [child for each in level for child in ast.iter_child_nodes(each)]
        depth, number = depth + 1, number + len(level)
        if number > _MOST:
            return _DEEPEST + 1
    return depth


def _children(node: cst.CSTNode) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
    for child in children(node):
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
    for child in children(node):
        yield from _bound(child, view)


def _names_in(target: cst.CSTNode) -> Iterator[str]:
    if isinstance(target, cst.Name):
        yield target.value
    elif isinstance(target, (cst.Tuple, cst.List)):
        for each in target.elements:
            yield from _names_in(each.value)


def _fields(owner: cst.ClassDef) -> list[str]:
    """What a class keeps in `self`, and its methods."""
    found: list[str] = []
    waiting: list[cst.CSTNode] = [owner.body]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, cst.FunctionDef) and not node.name.value.startswith("__"):
            found.append(node.name.value)
        if isinstance(node, cst.AssignTarget):
            target = node.target
            parts = (
                [e.value for e in target.elements] if isinstance(target, cst.Tuple) else [target]
            )
            found += [
                each.attr.value
                for each in parts
                if isinstance(each, cst.Attribute)
                and isinstance(each.value, cst.Name)
                and each.value.value == "self"
            ]
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.args:
            name = node.args[0].value
            if node.func.attr.value.startswith("register_") and isinstance(name, cst.SimpleString):
                found.append(str(name.evaluated_value))
        waiting += children(node)
    return list(dict.fromkeys(found))
