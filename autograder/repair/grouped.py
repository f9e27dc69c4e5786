"""What belongs together: which operand, or how much of a sum, an operator or a root is taken of."""

from collections.abc import Iterator

import libcst as cst

from autograder.repair.spot import Spot


def one_for_all(spot: Spot) -> Iterator[str]:
    """A power or root taken of a sum, not of a part of it, and the other way round."""
    node = spot.node
    if isinstance(node, cst.Call) and len(node.args) == 1:
        whole = node.args[0].value
        if isinstance(whole, cst.BinaryOperation):
            func, rest = spot.view.source(node.func), spot.view.atom(whole.right)
            sign = spot.view.module.code_for_node(whole.operator).strip()
            yield f"({func}({spot.view.source(whole.left)}) {sign} {rest})"
    if not isinstance(node, cst.BinaryOperation):
        return
    view, sign = spot.view, spot.view.module.code_for_node(node.operator).strip()
    left, right = node.left, node.right
    if isinstance(left, cst.Call) and isinstance(left.func, cst.Attribute) and not left.args:
        owner = view.atom(left.func.value)
        yield f"({owner} {sign} {view.atom(right)}).{left.func.attr.value}()"
    if isinstance(left, cst.Call) and len(left.args) == 1:
        inner = view.atom(left.args[0].value)
        yield f"{view.source(left.func)}({inner} {sign} {view.atom(right)})"
    if isinstance(right, cst.Call) and len(right.args) == 1:
        within = view.atom(right.args[0].value)
        yield f"{view.source(right.func)}({view.atom(left)} {sign} {within})"
    for part, other in ((left, right), (right, left)):
        if isinstance(part, cst.BinaryOperation):
            op = view.module.code_for_node(part.operator).strip()
            parts = [view.atom(each) for each in (part.left, part.right, other)]
            if part is left:
                yield f"({parts[0]} {op} ({parts[1]} {sign} {parts[2]}))"
                yield f"(({parts[0]} {sign} {parts[2]}) {op} {parts[1]})"
            else:
                yield f"(({parts[2]} {sign} {parts[0]}) {op} {parts[1]})"
                yield f"({parts[0]} {op} ({parts[2]} {sign} {parts[1]}))"
    if isinstance(left, cst.BinaryOperation) and isinstance(left.right, cst.BinaryOperation):
        # x * d ** 1 / 2: the last operand may belong to the innermost one before it.
        power = left.right
        first, second = (view.module.code_for_node(each.operator).strip() for each in (left, power))
        last = f"({view.atom(power.right)} {sign} {view.atom(right)})"
        yield f"({view.atom(left.left)} {first} ({view.atom(power.left)} {second} {last}))"
