"""What the submission has elsewhere: a line, or a part of one, that may be missing here.

Who writes two layers writes most of it twice; what is missing in one of them stands
in the other.
"""

import ast
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

import libcst as cst

from autograder.repair.rules import children
from autograder.repair.spot import Spot
from autograder.repair.view import View

_LONGEST = 5  # lines of a statement
_KEPT = 64  # of the last cells what was found in them
# What stands elsewhere in one role, and statements of a cell: four times what any sample has.
_MOST_IN_A_ROLE, _MOST_STATEMENTS = 30, 400
_STATEMENTS = cst.SimpleStatementLine, cst.If, cst.For, cst.With


def as_elsewhere(spot: Spot) -> Iterator[str]:
    """What stands elsewhere in the same role: a value, a test, an argument, a default."""
    role = _role(spot.node, spot.parent, spot.view)
    if role is None or spot.function is None:
        return
    used = _used(spot.source) & {name for name, _ in spot.view.bound_in(spot.function)}
    for view in spot.view.all:
        for node in _roles(view).get(role, ()):
            text = view.source(node)
            if used <= _used(text) and _is_known(text, spot):
                yield text


def stated(spot: Spot) -> Iterator[str]:
    """A statement from elsewhere in the place of one that says nothing."""
    if isinstance(spot.node, cst.SimpleStatementLine) and _says_nothing(spot.node):
        yield from (_indented(text, spot) for text in _statements(spot))


def inserted(spot: Spot) -> Iterator[str]:
    """A statement from elsewhere that binds what is used here and bound nowhere."""
    node = spot.node
    if not isinstance(node, _STATEMENTS) or spot.function is None:
        return
    indent = spot.view.indent(spot.view.span(node)[0])
    if indent.strip() or (isinstance(node, cst.SimpleStatementLine) and _says_nothing(node)):
        return
    inside = spot.view.source(spot.function)
    for text in _statements(spot):
        bound = _bound(text)
        if bound and bound <= _used(inside) - _bound(inside) - {*spot.names}:
            yield f"{_indented(text, spot)}\n{indent}{spot.source}"


def _statements(spot: Spot) -> Iterator[str]:
    """Those that use nothing but what is known here."""
    for view in spot.view.all:
        for node in _lines(view):
            text = _flush(node, view)
            if text.count("\n") < _LONGEST and _is_known(text, spot):
                yield text


def _is_known(text: str, spot: Spot) -> bool:
    """Whether all that a piece of code uses is to be had here, or is no local name elsewhere."""
    names = _locals_of_all(spot.view)
    here = {*spot.names, "self"} | _inside(text)
    return all(
        each.removeprefix("self.") in spot.fields if "." in each else each in here
        for each in _used(text)
        if each in names or "." in each
    )


def _indented(text: str, spot: Spot) -> str:
    """A statement of several lines, as deep as the place is."""
    indent = spot.view.indent(spot.view.span(spot.node)[0])
    return text.replace("\n", f"\n{indent}")


def _flush(node: cst.CSTNode, view: View) -> str:
    """The text of a piece, with no indent before its later lines but their own."""
    first, *more = view.source(node).splitlines()
    before = view.indent(view.span(node)[0])
    depth = len(before) - len(before.lstrip())
    return "\n".join([first, *(each[depth:] for each in more)])


def _says_nothing(node: cst.SimpleStatementLine) -> bool:
    return len(node.body) == 1 and isinstance(node.body[0], cst.Pass)


def _below(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    yield node
    for child in children(node):
        yield from _below(child)


@lru_cache(_KEPT)
def _lines(view: View) -> list[cst.CSTNode]:
    """The statements of a cell's functions, each once, but for words."""
    found: dict[str, cst.CSTNode] = {}
    for function in _below(view.module):
        for each in _below(function.body) if isinstance(function, cst.FunctionDef) else ():
            if isinstance(each, _STATEMENTS) and not _is_words(each):
                found.setdefault(view.source(each), each)
    return list(found.values())[:_MOST_STATEMENTS]


def _is_words(node: cst.CSTNode) -> bool:
    only = node.body[0] if isinstance(node, cst.SimpleStatementLine) else None
    words = isinstance(only, cst.Expr) and isinstance(only.value, cst.BaseString)
    return words or isinstance(only, cst.Pass)


@lru_cache(_KEPT)
def _locals(view: View) -> frozenset[str]:
    """The names that the cell's functions bind."""
    functions = [each for each in _below(view.module) if isinstance(each, cst.FunctionDef)]
    params = {each.name.value for one in functions for each in one.params.params}
    return frozenset(params | {name for one in functions for name, _ in view.bound_in(one)})


@lru_cache(_KEPT)
def _locals_of_all(view: View) -> frozenset[str]:
    """Those of all cells."""
    return frozenset().union(*map(_locals, view.all))


@lru_cache(_KEPT)
def _roles(view: View) -> dict[str, list[cst.CSTNode]]:
    """The parts of a cell, by role."""
    found: dict[str, dict[str, cst.CSTNode]] = {}
    for each in _below(view.module):
        above = list(islice(view.around(each), 2))
        role = _role(each, above[1] if len(above) > 1 else None, view)
        if role is not None:
            found.setdefault(role, {}).setdefault(view.source(each), each)
    return {role: list(each.values())[:_MOST_IN_A_ROLE] for role, each in found.items()}


def _role(node: cst.CSTNode, parent: cst.CSTNode | None, view: View) -> str | None:
    """What a part is there for: the same role may be filled by another."""
    if isinstance(parent, (cst.If, cst.While, cst.IfExp)) and parent.test is node:
        return "test"
    if isinstance(parent, (cst.For, cst.CompFor)) and parent.iter is node:
        return "iter"
    if isinstance(parent, cst.Param) and parent.default is node:
        return f"default of {parent.name.value}"
    if isinstance(parent, cst.Assign) and parent.value is node:
        return f"value of {view.source(parent.targets[0].target)}"
    if isinstance(parent, cst.Raise):
        return "raised"
    if isinstance(node, cst.Call):
        return f"call of {view.source(node.func)}"
    return None


@lru_cache(1 << 12)
def _tree(source: str) -> list[ast.AST]:
    try:
        return list(ast.walk(ast.parse(source)))
    except SyntaxError:
        return []


def _names(source: str, kind: type[ast.expr_context]) -> frozenset[str]:
    """Names, and fields as `self.name`."""
    found = {x.id for x in _tree(source) if isinstance(x, ast.Name) and isinstance(x.ctx, kind)}
    fields = {
        f"self.{x.attr}"
        for x in _tree(source)
        if isinstance(x, ast.Attribute)
        and isinstance(x.ctx, kind)
        and isinstance(x.value, ast.Name)
        and x.value.id == "self"
    }
    return frozenset(found | fields)


@lru_cache(1 << 12)
def _used(source: str) -> frozenset[str]:
    return _names(source, ast.Load)


@lru_cache(1 << 12)
def _bound(source: str) -> frozenset[str]:
    return _names(source, ast.Store)


@lru_cache(1 << 12)
def _inside(source: str) -> frozenset[str]:
    """What a comprehension in it binds."""
    targets = [each.target for each in _tree(source) if isinstance(each, ast.comprehension)]
    names = (name for each in targets for name in ast.walk(each))
    return frozenset(each.id for each in names if isinstance(each, ast.Name))
