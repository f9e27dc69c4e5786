"""What is there and nobody looks at: where something is missing, it is most often just that."""

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache

import libcst as cst

from autograder.repair.spot import Spot
from autograder.repair.values import may_lack, stands_alone

_MOST = 3  # of what is idle in one place: where much is, nothing tells which of it is missing
_SIGNS = "+", "*", "/", "-", "&"


def brought_in(spot: Spot) -> Iterator[str]:
    """A value computed with, passed through or passed on to what is idle; one argument more."""
    if spot.function is None or not may_lack(spot):
        return
    found = _idle(spot)[:_MOST]
    source, atom = spot.source, spot.atom
    for each in found:
        if stands_alone(spot) or isinstance(spot.parent, cst.Attribute):
            yield from (f"({atom} {sign} {each})" for sign in _SIGNS)
            yield from (f"({each} {sign} {atom})" for sign in "/-")
            yield f"{each}({source})"
            yield f"{each}({', '.join([source, *(x for x in found if x != each)])})"
            yield f"{atom}.masked_fill(~{each}, float('-inf'))"
        if isinstance(spot.node, cst.Call) and source != "super()":
            func = spot.view.source(spot.node.func)
            args = [spot.view.source(arg) for arg in spot.node.args]
            for at in range(len(args) + 1):
                yield f"{func}({', '.join([*args[:at], each, *args[at:]])})"
            name = each.removeprefix("self.")
            yield f"{func}({', '.join([*args, f'{name}={each}'])})"


def _idle(spot: Spot) -> list[str]:
    """Names in scope that the function never reads, and fields that the class never does."""
    assert spot.function is not None
    names = _unread(spot.names, spot.view.source(spot.function))
    if spot.owner is None or spot.function.name.value.startswith("__"):
        return names
    fields = [f"self.{each}" for each in spot.fields]
    return names + _unread(fields, spot.view.source(spot.owner))


def _unread(names: Sequence[str], text: str) -> list[str]:
    read = _read(text)
    return [] if read is None else [each for each in names if each not in read]


@lru_cache(256)  # asked for each place of a function
def _read(text: str) -> frozenset[str] | None:
    """The names, and fields as `self.name`, whose values are used; None of what stands askew."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError):
        return None
    loaded = [each for each in nodes if isinstance(getattr(each, "ctx", None), ast.Load)]
    names = {each.id for each in loaded if isinstance(each, ast.Name)}
    fields = (each for each in loaded if isinstance(each, ast.Attribute))
    of_names = {(x.value.id, x.attr) for x in fields if isinstance(x.value, ast.Name)}
    return frozenset(names.union(map(".".join, of_names)))
