"""Finds banned calls by reading: which functions of a submission lead to one.

The worker sees what a call does when it is made; this sees what stands in the source, also on a
path that no case takes. A function is tainted when its body names a banned call, however it was
imported, when it is a part that others are given, pasted, or when it uses a function that is
tainted. A banned call elsewhere, to compare one's own result with, costs nothing.
"""

import ast
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property, lru_cache

from autograder.asking import PASTED, Cell
from autograder.notebooks.magics import UNREADABLE
from autograder.notebooks.pasted import is_pasted, readings
from autograder.notebooks.tree import below, walked

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# Of cells that were read: those that are given are the same in every submission. A long one, which
# anybody may hand in, takes hundreds of times its length.
_KEPT, _KEPT_LENGTH = 32, 10_000
_MAX_PARTS = 10  # of a dotted name; no banned one has as many


def banned_uses(
    cells: Iterable[Cell], banned: Iterable[str], known: Collection[str] = frozenset()
) -> dict[str, str]:
    """The functions and classes that lead to a banned call: name -> the call's dotted name.

    known: how parts read that others are given (`known_by`); what leads to one of those leads to
    `PASTED`.
    """
    targets = frozenset(banned)
    aliases: dict[str, str] = {}
    bodies: dict[str, _Statement] = {}
    for cell in cells:
        read = _read_once if len(cell.source) <= _KEPT_LENGTH else _read
        for statement in read(cell.source):  # in their order: of two with one name the last counts
            for name, dotted in _imported(statement.node, targets):
                aliases[name] = dotted
                bodies.pop(name, None)
            for name in statement.names:
                bodies[name] = statement
                aliases.pop(name, None)
    found = {name: dotted for name, dotted in aliases.items() if dotted in targets}
    defined: dict[_Statement, list[str]] = {}  # one statement may define any number of names
    for name, statement in bodies.items():
        defined.setdefault(statement, []).append(name)
    users: dict[str, list[_Statement]] = {}
    for statement, names in defined.items():
        uses = _Uses(statement, aliases, targets)
        pasted = bool(known) and is_pasted(statement.readings, known)
        if leads_to := uses.banned or (PASTED if pasted else None):
            found |= dict.fromkeys(names, leads_to)
        for used in uses.names:
            users.setdefault(used, []).append(statement)
    waiting = list(found)
    while waiting:
        used = waiting.pop()
        for statement in users.get(used, ()):
            new = [name for name in defined.pop(statement, ()) if name not in found]
            found |= dict.fromkeys(new, found[used])
            waiting += new
    return found


class _Statement:
    """What there is to know of a statement by itself."""

    def __init__(self, node: ast.stmt) -> None:
        self.node = node
        self.names = tuple(_names(node))

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All of it."""
        return walked(self.node)

    @cached_property
    def inside(self) -> list[ast.AST]:
        """What is in its functions."""
        if isinstance(self.node, _FUNCTIONS):
            return self.nodes
        return [node for function in _outermost(self.node) for node in walked(function)]

    @cached_property
    def own(self) -> frozenset[str]:
        """The names that its functions give to what they have."""
        own = {*_stored(self.inside)}
        for node in self.nodes:
            if isinstance(node, ast.Global):
                own -= set(node.names)
        return frozenset(own)

    @cached_property
    def imports(self) -> tuple[ast.AST, ...]:
        """What its functions import."""
        return tuple(node for node in self.inside if isinstance(node, (ast.Import, ast.ImportFrom)))

    @cached_property
    def used(self) -> tuple[str, ...]:
        """The names that it uses, dotted ones as they stand there."""
        return tuple(_used(self.nodes))

    @cached_property
    def readings(self) -> frozenset[str]:
        """How its functions read."""
        return frozenset(readings(self.node))


def _read(source: str) -> tuple[_Statement, ...]:
    try:
        return tuple(map(_Statement, _statements(ast.parse(source).body)))
    except UNREADABLE:
        return ()


_read_once = lru_cache(_KEPT)(_read)


def _statements(body: Iterable[ast.AST]) -> Iterator[ast.stmt]:
    """The statements that run in the notebook's own namespace, also below if, try and with."""
    waiting = list(body)[::-1]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt):
            yield node
        if not isinstance(node, (*_FUNCTIONS, ast.ClassDef, ast.expr)):
            waiting += below(node)[::-1]


def _names(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.Assign):  # find = torch.argsort
        yield from (name for target in node.targets for name in _stored(walked(target)))
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        yield from _stored(walked(node.target))


def _stored(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for each in nodes:
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            yield each.id
        elif isinstance(each, ast.arg):
            yield each.arg


def _imported(node: ast.AST, targets: Iterable[str]) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Import):
        for each in node.names:
            yield (each.asname, each.name) if each.asname else (each.name.split(".")[0],) * 2
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        for each in node.names:
            yield each.asname or each.name, f"{node.module}.{each.name}"
            if each.name == "*":
                for module, _, name in (target.rpartition(".") for target in targets):
                    if module == node.module:
                        yield name, f"{module}.{name}"


class _Uses:
    """What a function, class or value uses: a banned call itself, and the notebook's names.

    A name that is the function's own, such as a local variable, is not the notebook's.
    """

    def __init__(
        self, statement: _Statement, aliases: dict[str, str], targets: frozenset[str]
    ) -> None:
        imported: dict[str, str] = {}
        for node in statement.imports:
            imported |= dict(_imported(node, targets))
        own = statement.own | imported.keys()
        self.names: set[str] = set()
        self.banned: str | None = None
        for dotted in statement.used:
            first, _, rest = dotted.partition(".")
            origin = imported.get(first)
            if origin is None and (rest or first not in own):
                origin = aliases.get(first)
            full = f"{origin}.{rest}" if rest else origin
            if full in targets:
                self.banned = self.banned or full
            elif first not in own:
                self.names.add(first)


def _outermost(top: ast.AST) -> Iterator[ast.AST]:
    """The functions that are in no other one, so that no line is walked more than once."""
    waiting = [top]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (*_FUNCTIONS, ast.Lambda)):
            yield node
        else:
            waiting += below(node)


def _used(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, (ast.Attribute, ast.Name)) and isinstance(node.ctx, ast.Load):
            if dotted := _dotted(node):
                yield dotted
        elif (  # getattr(torch, "argsort")
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "getattr"
            and len(node.args) >= 2
            and isinstance(node.args[1], ast.Constant)
            and isinstance(node.args[1].value, str)
            and (owner := _dotted(node.args[0]))
        ):
            yield f"{owner}.{node.args[1].value}"


def _dotted(node: ast.AST) -> str | None:
    parts: list[str] = []
    # Each part of a chain is looked at; one of thousands would be looked at thousands of times.
    while isinstance(node, ast.Attribute) and len(parts) < _MAX_PARTS:
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])
