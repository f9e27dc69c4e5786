"""What grades an item: to tell a check that changed from one that was worded anew."""

import ast
from collections.abc import Iterator, Mapping

from autograder.course import print_of

__all__ = ["checks_of", "code_of"]


def code_of(text: str) -> str:
    """A program without comments, layout and docstrings; one that is broken, as it is."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return text
    return "\n".join(_dump(node) for node in tree.body)


def checks_of(text: str) -> Mapping[str, Mapping[str, str]]:
    """A print of each check of a `checks.py`, with all that it uses there, by item and name.

    Sentences and hints are left out: they are words.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return {}
    defined = {name: node for node in tree.body for name in _names(node)}
    found: dict[str, dict[str, str]] = {}
    for node in tree.body:
        item = next(_items(node), None)
        if isinstance(node, ast.FunctionDef) and item:
            used = _closure(node, defined)
            parts = [_dump(node), *(_dump(defined[name]) for name in sorted(used))]
            found.setdefault(item, {})[node.name] = print_of(parts)
    return found


def _items(node: ast.stmt) -> Iterator[str]:
    """The items that a function's decorators name: `item("area")`, `pytest.mark.item("area")`."""
    for each in node.decorator_list if isinstance(node, ast.FunctionDef) else ():
        if isinstance(each, ast.Call) and each.args and isinstance(each.args[0], ast.Constant):
            called = each.func.attr if isinstance(each.func, ast.Attribute) else None
            called = each.func.id if isinstance(each.func, ast.Name) else called
            if called == "item":
                yield str(each.args[0].value)


def _closure(top: ast.stmt, defined: Mapping[str, ast.stmt]) -> set[str]:
    used, waiting = set[str](), [top]
    while waiting:
        for each in ast.walk(waiting.pop()):
            if isinstance(each, ast.Name) and each.id in defined and each.id not in used:
                used.add(each.id)
                waiting.append(defined[each.id])
    return used


def _names(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, (ast.Assign, ast.AnnAssign)):
        for each in ast.walk(node):
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                yield each.id


def _dump(node: ast.stmt) -> str:
    copy = ast.parse(ast.unparse(node))
    for each in ast.walk(copy):
        if (
            isinstance(each, (ast.FunctionDef, ast.ClassDef))
            and ast.get_docstring(each) is not None
        ):
            each.body = each.body[1:]
        if isinstance(each, ast.Call):
            each.keywords = [word for word in each.keywords if word.arg not in ("hint", "fits")]
    return ast.dump(copy)
