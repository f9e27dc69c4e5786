"""Finds what is not a student's own: a part that another assignment is given, pasted.

Such a part is right, and anybody may look it up. A definition is taken for one when its functions
read the same but for names of their own, docstrings, annotations and what does nothing, and are
together long enough that two people do not write them alike by chance.
"""

import ast
from collections.abc import Collection, Iterator

from autograder.notebooks.tree import below, walked

# Nodes of the tree. Of 1,855 functions in the sample course's submissions, 6 read like one of its
# given parts: all below 20 nodes, and in no definition more than 23 together.
_LONG = 40
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# Of these alone an expression is made that does nothing.
_NOTHING = (ast.Constant, ast.Name, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.expr_context)


def known_by(text: str, names: Collection[str]) -> frozenset[str]:
    """How the functions read of which these definitions of a module consist."""
    defined = [each for each in ast.parse(text).body if getattr(each, "name", None) in names]
    return frozenset(read for each in defined for read in readings(each))


def is_pasted(found: Collection[str], known: Collection[str]) -> bool:
    """Whether functions that read like one of the known ones are too long to be chance."""
    return sum(read.count(" ") + 1 for read in {*found}.intersection(known)) >= _LONG


def readings(top: ast.AST) -> Iterator[str]:
    """How the functions in this read: names of their own, docstrings and annotations left out.

    Each without those that stand in it, which are read by themselves: so each word is read once.
    """
    for node in walked(top):
        if isinstance(node, _FUNCTIONS):
            start = 0 if ast.get_docstring(node, clean=False) is None else 1
            own = _own_names(node)
            yield " ".join(_words([node.args, *node.body[start:]], own))


def _own_names(function: ast.AST) -> dict[str, str]:
    """The names that it gives to what it has, in their order, and how they are read."""
    own: dict[str, str] = {}
    inside = below(function)
    for node in inside:  # which grows
        inside += below(node) if not isinstance(node, _FUNCTIONS) else ()
        name = None
        if isinstance(node, ast.arg):
            name = node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            name = node.id
        if name is not None:
            own.setdefault(name, f"own{len(own)}")
    return own


def _does_nothing(node: ast.AST) -> bool:
    """Whether it is a statement that changes nothing: anybody may write it anywhere."""
    if isinstance(node, ast.Expr):
        return all(isinstance(each, _NOTHING) for each in ast.walk(node.value))
    return isinstance(node, ast.Pass)


def _words(nodes: list[ast.AST], own: dict[str, str]) -> Iterator[str]:
    """A word for each node, from the top."""
    waiting = nodes[::-1]
    while waiting:
        node = waiting.pop()
        said = ""
        if isinstance(node, ast.Name):
            said = own.get(node.id, node.id)
        elif isinstance(node, ast.Attribute):
            said = node.attr
        elif isinstance(node, ast.Constant):
            value = node.value  # a long whole number cannot be written in tens
            said = (hex(value) if type(value) is int else repr(value)).replace(" ", "_")
        elif isinstance(node, ast.keyword):
            said = node.arg or "**"
        if _does_nothing(node):
            continue
        yield f"{type(node).__name__}:{said}"
        if not isinstance(node, (ast.arg, *_FUNCTIONS)):  # below an arg is its annotation
            waiting += list(below(node))[::-1]
