"""The line in which a function does nothing: it proves nothing, and yet is worth a look."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

# Elsewhere nothing is often meant: in the branch of an `if`, after `except`, as a whole class.
_DO_SOMETHING = ast.FunctionDef, ast.AsyncFunctionDef, ast.For, ast.While, ast.With


@dataclass(frozen=True)
class Undone:
    """A statement that does nothing. line: of the cell, from 1; source: that line."""

    cell: str
    line: int
    source: str


def undone(cell: str, text: str) -> Undone | None:
    """The one statement that does nothing, of the functions of a cell; None where none or more."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    lines = {each.lineno for each in _that_do_nothing(tree)}
    if len(lines) != 1:
        return None
    (line,) = lines
    return Undone(cell, line, text.splitlines()[line - 1].strip())


def _that_do_nothing(tree: ast.AST) -> Iterator[ast.stmt]:
    waiting = [(tree, False)]  # each with whether it stands in a function
    while waiting:
        node, inside = waiting.pop()
        inside |= isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if inside and isinstance(node, _DO_SOMETHING):
            yield from filter(_does_nothing, node.body)
        waiting += [(each, inside) for each in ast.iter_child_nodes(node)]


def _does_nothing(node: ast.stmt) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant) and node.value.value is Ellipsis
    return isinstance(node, ast.Pass)
