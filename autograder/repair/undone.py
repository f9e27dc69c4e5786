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
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for block in ast.walk(function):
                body = block.body if isinstance(block, _DO_SOMETHING) else ()
                yield from filter(_does_nothing, body)


def _does_nothing(node: ast.stmt) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant) and node.value.value is Ellipsis
    return isinstance(node, ast.Pass)
