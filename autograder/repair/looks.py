"""What each piece of a cell is while one question is answered: it spares most edits a trial.

The cell is run with a look around each of its values, and asked. What was never reached cannot be
why the answer is wrong; what is a tensor of two axes is not to be transposed in four. The process
that tells this is the submission's: what it says is used to choose among edits, and for no more.
"""

from collections.abc import Mapping
from typing import Any

import libcst as cst

from autograder.repair.spot import spots
from autograder.repair.view import Kind, View

SEEN = "seen_by_look"
# Runs behind the walls, in the notebook, before the cell.
LOOK = f"""
{SEEN} = {{}}
def look_at_it(at, value, seen={SEEN}):
    if at not in seen and len(seen) < 1000:
        seen[at] = type(value).__name__
        if hasattr(value, "requires_grad") and hasattr(value, "shape"):
            seen[at] = str(value.dtype) + ":" + ",".join(map(str, value.shape[:6]))
        elif callable(value):
            seen[at] = "callable"
    return value
"""
_SKIPPED = (cst.GeneratorExp, cst.StarredElement, cst.NamedExpr, cst.Yield, cst.Await, cst.Lambda)


def looked_at(view: View) -> tuple[str, dict[int, cst.CSTNode]]:
    """The cell with a look around each value and at each parameter, and which look is at which."""
    found: dict[int, cst.CSTNode] = {}
    marks: list[tuple[int, int, int, str]] = []

    def look(node: cst.CSTNode) -> str:
        found[len(found)] = node
        return f"look_at_it('{len(found) - 1}', "

    for spot in spots(view):
        node = spot.node
        if isinstance(node, cst.FunctionDef) and isinstance(node.body, cst.IndentedBlock):
            start, _ = view.span(node.body.body[0])
            names = [each.name for each in node.params.params]
            looks = "; ".join(f"{look(each)}{each.value})" for each in names)
            marks += [(start, 1, -(1 << 30), f"{looks}\n{view.indent(start)}")] if names else []
        thrown_away = isinstance(spot.parent, cst.Expr) and not isinstance(node, cst.Call)
        if spot.is_value and not thrown_away and not isinstance(node, _SKIPPED):
            start, end = view.span(node)
            inner = ("(", ")") if isinstance(node, cst.Tuple) else ("", "")
            marks.append((start, 1, -end, f"{look(node)}{inner[0]}"))
            marks.append((end, 0, -start, f"{inner[1]})"))
    text = view.text.encode()
    for at, _, _, mark in sorted(marks, reverse=True):
        text = text[:at] + mark.encode() + text[at:]
    return text.decode(), found


def read_kinds(told: Any, nodes: Mapping[int, cst.CSTNode]) -> dict[cst.CSTNode, Kind]:
    """What was seen, by node; what cannot be read is left out."""
    found = {}
    for at, said in told.items() if isinstance(told, dict) else ():
        name, is_tensor, shape = said.partition(":") if isinstance(said, str) else ("", "", "")
        if at.isdecimal() and int(at) in nodes and len(shape) < 100:
            sizes = (int(each) for each in shape.split(",") if each.isdecimal())
            found[nodes[int(at)]] = Kind(name, tuple(sizes) if is_tensor else None)
    return found
