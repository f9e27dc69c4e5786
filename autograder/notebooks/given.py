"""What an assignment is given of earlier ones: `solutions/given.py`, cut to the names it imports.

A student gets the parts of earlier assignments and no others, least of all those to be written.
"""

import ast
from collections.abc import Iterable
from functools import cache

from autograder.notebooks.source import GIVEN, Source

MODULE = "given"


def given_names(source: Source) -> list[str]:
    """The names that the given cells of an assignment import from `given`."""
    return [
        each.name
        for cell in source.reference
        if not cell.solution
        for node in ast.parse(cell.source).body
        if isinstance(node, ast.ImportFrom) and node.module == MODULE
        for each in node.names
    ]


def can_be_given(source: Source, names: Iterable[str]) -> bool:
    """Whether the course's `given.py` has all of these names."""
    return set(names) <= _defined(ast.parse(source.given)).keys()


def given_source(source: Source, names: Iterable[str]) -> str:
    """The course's `given.py` with these names and what they need; raises ValueError."""
    return _cut(source.given, tuple(names))


def parts_elsewhere(source: Source, text: str | None = None) -> frozenset[str]:
    """What this assignment asks for and others are given, helpers and all.

    text: of what they are given, the course's `given.py` by default. Left out is what this one is
    given itself: that may stand in a solution, and costs nothing.
    """
    defined = _defined(ast.parse(source.given if text is None else text))
    asked = _with_helpers(defined, source.defined_in.keys() & defined.keys())
    return frozenset(asked - _with_helpers(defined, set(given_names(source)) & defined.keys()))


def _with_helpers(defined: dict[str, ast.stmt], names: Iterable[str]) -> set[str]:
    """These names and those that their definitions use."""
    wanted: set[str] = set()
    waiting = sorted(names)
    while waiting:
        name = waiting.pop()
        if name not in wanted:
            wanted.add(name)
            used = {each.id for each in ast.walk(defined[name]) if isinstance(each, ast.Name)}
            waiting += sorted(used & defined.keys())
    return wanted


def _defined(tree: ast.Module) -> dict[str, ast.stmt]:
    defined: dict[str, ast.stmt] = {}
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            defined[node.name] = node
        elif isinstance(node, ast.Assign):
            defined |= {each.id: node for each in node.targets if isinstance(each, ast.Name)}
    return defined


@cache
def _cut(text: str, names: tuple[str, ...]) -> str:
    tree = ast.parse(text)
    defined = _defined(tree)
    if lost := [name for name in names if name not in defined]:
        raise ValueError(f"solutions/{GIVEN} does not define {lost[0]}, which a notebook imports")
    wanted = _with_helpers(defined, names)
    kept = {id(defined[name]) for name in wanted}
    parts = [
        ast.get_source_segment(text, node) or ""
        for node in tree.body
        if id(node) in kept or not isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Assign))
    ]
    return "\n\n".join(parts) + "\n"
