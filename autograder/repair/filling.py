"""What may stand in the place of a statement that says nothing; a missing name or exception."""

from collections.abc import Iterator
from itertools import product

import libcst as cst

from autograder.repair.spot import Spot

_AFTER = "", ".relu()", ".softmax(dim=-1)", ".transpose(-2, -1)", ".transpose(1, 2)", ".sqrt()"
_SIGNS = "+", "*", "-", "/", "@"


def filled(spot: Spot) -> Iterator[str]:
    """A value bound to a name that is used and bound nowhere; returned; or an exception."""
    node = spot.node
    if not isinstance(node, cst.SimpleStatementLine) or not isinstance(node.body[0], cst.Pass):
        return
    if spot.function is None:
        return
    above = list(spot.view.around(node))
    if any(isinstance(each, cst.If) for each in above[:3]):
        yield _naming(spot)
    inside = spot.view.source(spot.function)
    for value in _values(spot):
        for each in spot.view.unbound(spot.function):
            yield f"{each} = {value}"
        if "return" not in inside:
            yield f"return {value}"
            plain = not value.endswith(")") or value.startswith("(")
            yield from (f"return {value}, {each}" for each in spot.names[-2:] if plain)
        yield from (f"{each} = {value}" for each in spot.names if each in value)


def _values(spot: Spot) -> Iterator[str]:
    """Small pieces of code over what is in scope."""
    names = [*spot.names, *spot.known_fields]
    modules = [f"self.{each}" for each in spot.fields if f"self.{each}" not in names]
    tensors = [each for each in names if (kind := spot.kinds.get(each)) and kind.is_tensor]
    found = [*(f"{one}({each})" for one in modules for each in spot.names), *names]
    found += [f"({a} {sign} {b})" for sign, (a, b) in product(_SIGNS, product(tensors, tensors))]
    yield from (f"{value}{after}" for value, after in product(found[:80], _AFTER))


def named(spot: Spot) -> Iterator[str]:
    """The name of a field that is used and kept nowhere, as the first argument."""
    node = spot.node
    if isinstance(node, cst.Call) and spot.view.source(node.func) == "self.register_buffer":
        args = ", ".join(spot.view.source(each) for each in node.args)
        yield from (f'self.register_buffer("{each}", {args})' for each in spot.view.unkept(node))


def raised(spot: Spot) -> Iterator[str]:
    """An exception made of what is raised, or one that names all there is."""
    if isinstance(spot.node, cst.Raise) and spot.node.exc is not None:
        source = spot.view.source(spot.node.exc)
        yield f"raise ValueError({source})"
        if source.startswith("ValueError"):
            yield _naming(spot)


def _naming(spot: Spot) -> str:
    said = " ".join(f"{{{each}}}" for each in (*spot.names, *spot.known_fields))
    return f'raise ValueError(f"{said}")'
