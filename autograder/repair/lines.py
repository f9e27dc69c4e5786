"""What may be missing in a function: a name, a copy, a `return`."""

from collections.abc import Iterator
from itertools import permutations

import libcst as cst

from autograder.repair.spot import Spot


def kept(spot: Spot) -> Iterator[str]:
    """The result of an expression that is thrown away, bound to a name."""
    node = spot.node
    if isinstance(node, cst.Expr) and isinstance(node.value, cst.Call):
        yield from (f"{each} = {spot.source}" for each in spot.names)
        yield f"return {spot.source}"


def made_anew(spot: Spot) -> Iterator[str]:
    """A copy before something is written in place; `super().__init__()` before all else."""
    node = spot.node
    if not isinstance(node, cst.SimpleStatementLine) or spot.function is None:
        return
    indent = spot.view.indent(spot.view.span(node)[0])
    yield from (f"{each} = {each}.clone()\n{indent}{spot.source}" for each in spot.names)
    inside = spot.view.source(spot.function)
    first = spot.function.body.body[0] is node
    if first and spot.function.name.value == "__init__" and "super()" not in inside:
        yield f"super().__init__()\n{indent}{spot.source}"


def returned(spot: Spot) -> Iterator[str]:
    """What a function that ends without a `return` gives; one value more."""
    node = spot.node
    if isinstance(node, cst.Return) and node.value is not None:
        value = spot.view.source(node.value)
        yield from (f"return {value}, {each}" for each in spot.names)
        yield from (f"return {each}, {value}" for each in spot.names)
        return
    if not isinstance(node, cst.SimpleStatementLine) or spot.function is None:
        return
    body = spot.function.body
    if body.body[-1] is node and not isinstance(node.body[-1], (cst.Return, cst.Raise)):
        indent = spot.view.indent(spot.view.span(node)[0])
        known = [*spot.names, *_targets(node)]
        yield from (f"{spot.source}\n{indent}return {each}" for each in known)
        pairs = permutations(known, 2)
        yield from (f"{spot.source}\n{indent}return {one}, {two}" for one, two in pairs)


def _targets(node: cst.SimpleStatementLine) -> list[str]:
    found = (
        each.target for part in node.body if isinstance(part, cst.Assign) for each in part.targets
    )
    return [each.value for each in found if isinstance(each, cst.Name)]
