"""Finds banned calls by reading: which functions of a submission lead to one.

The worker sees what a call does when it is made; this sees what stands in the source, also on a
path that no case takes. A function is tainted when its body names a banned call, however it was
imported, or uses a function that is tainted. A banned call elsewhere, to compare one's own
result with, costs nothing.
"""

import ast
from collections.abc import Iterable, Iterator

from autograder.notebook import UNREADABLE
from autograder.student import Cell


def banned_uses(cells: Iterable[Cell], banned: Iterable[str]) -> dict[str, str]:
    """The functions and classes that lead to a banned call: name -> the call's dotted name."""
    targets = frozenset(banned)
    aliases: dict[str, str] = {}
    bodies: dict[str, list[ast.AST]] = {}
    for cell in cells:
        try:
            tree = ast.parse(cell.source)
        except UNREADABLE:
            continue
        for node in ast.walk(tree):
            aliases |= dict(_imported(node))
        for node in tree.body:
            bodies |= {name: [node] for name in _names(node)}
    uses = {name: list(_used(nodes)) for name, nodes in bodies.items()}
    found: dict[str, str] = {}
    grew = True
    while grew:
        grew = False
        for name, dotted_names in uses.items():
            if name in found:
                continue
            for dotted in dotted_names:
                call = found.get(dotted) or _banned(dotted, aliases, targets)
                if call is not None:
                    found[name] = call
                    grew = True
                    break
    return found


def _names(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.Assign):  # attend = F.scaled_dot_product_attention
        yield from (each.id for each in node.targets if isinstance(each, ast.Name))


def _imported(node: ast.AST) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Import):
        for each in node.names:
            yield (each.asname, each.name) if each.asname else (each.name.split(".")[0],) * 2
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        for each in node.names:
            yield each.asname or each.name, f"{node.module}.{each.name}"


def _used(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for top in nodes:
        for node in ast.walk(top):
            if isinstance(node, (ast.Attribute, ast.Name)) and isinstance(node.ctx, ast.Load):
                dotted = _dotted(node)
                if dotted:
                    yield dotted
            elif (  # getattr(F, "scaled_dot_product_attention")
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "getattr"
                and len(node.args) >= 2
                and isinstance(node.args[1], ast.Constant)
                and isinstance(node.args[1].value, str)
            ):
                owner = _dotted(node.args[0])
                if owner:
                    yield f"{owner}.{node.args[1].value}"


def _dotted(node: ast.AST) -> str | None:
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])


def _banned(dotted: str, aliases: dict[str, str], targets: frozenset[str]) -> str | None:
    first, _, rest = dotted.partition(".")
    if first not in aliases:
        return None
    full = f"{aliases[first]}.{rest}" if rest else aliases[first]
    return full if full in targets else None
