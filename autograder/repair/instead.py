"""What may stand instead of a piece of code, beyond what makes a mutant."""

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations

import libcst as cst

from autograder.repair.spot import Spot

_ARITHMETIC = ("+", "-", "*", "/", "**", "@", "//", "%")
_COMPARED = ("==", "!=", "<", "<=", ">", ">=")
_BITS = ("&", "|", "^")
_OPERATORS = {
    **dict.fromkeys(("Add", "Subtract", "Multiply", "Divide", "Power"), _ARITHMETIC),
    **dict.fromkeys(("FloorDivide", "Modulo", "MatrixMultiply"), _ARITHMETIC),
    **dict.fromkeys(("BitAnd", "BitOr", "BitXor"), _BITS),
}
_FILLING = {
    *("masked_fill", "masked_fill_", "where", "full", "full_like", "fill_"),
    *("clamp", "clip", "hardtanh", "Hardtanh"),
}
_COMPARISONS = ("Equal", "NotEqual", "LessThan", "LessThanEqual", "GreaterThan", "GreaterThanEqual")
_AXES = range(-3, 4)
_OTHER_METHODS = {
    "view": ("reshape",),
    "var": ("std",),
    "std": ("var",),
    "expand": ("repeat",),
    "min": ("amin",),
    "max": ("amax",),
    "log_softmax": ("softmax", "logsumexp"),
    "sigmoid": ("softmax", "relu"),
    "tanh": ("relu",),
    "gelu": ("relu",),
    "any": ("all",),
    "arange": ("range",),
    "isqrt": ("sqrt",),
}


def operators(spot: Spot) -> Iterator[str]:
    """Every other operator of its kind."""
    node = spot.node
    if isinstance(node, cst.BinaryOperation):
        left, right = (spot.view.atom(each) for each in (node.left, node.right))
        for each in _OPERATORS.get(type(node.operator).__name__, ()):
            yield f"({left} {each} {right})"
        yield f"({right} {spot.view.module.code_for_node(node.operator).strip()} {left})"
    elif isinstance(node, cst.BooleanOperation) and isinstance(node.operator, cst.Or):
        left, right = (spot.view.atom(each) for each in (node.left, node.right))
        yield f"({right} if {left} is None else {left})"  # of what may be 0
    elif isinstance(node, cst.ComparisonTarget) and type(node.operator).__name__ in _COMPARISONS:
        right = spot.view.atom(node.comparator)
        yield from (f"{each} {right}" for each in _COMPARED)


def names(spot: Spot) -> Iterator[str]:
    """Another name in scope."""
    if isinstance(spot.node, cst.Name) and spot.is_value and spot.node.value != "super":
        yield from (each for each in spot.names if each != spot.node.value)


def fields(spot: Spot) -> Iterator[str]:
    """Another field or method of `self`."""
    node = spot.node
    if isinstance(node, cst.Attribute) and spot.view.source(node.value) == "self":
        yield from (f"self.{each}" for each in spot.fields if each != node.attr.value)


def axes(spot: Spot) -> Iterator[str]:
    """Another small number, in the place of one; half or the inverse of another."""
    node = spot.node
    small = isinstance(node, cst.Integer) and abs(node.evaluated_value) <= 4
    signed = isinstance(node, cst.UnaryOperation) and isinstance(node.expression, cst.Integer)
    if small or signed:
        yield from map(str, _AXES)
    if isinstance(node, (cst.Integer, cst.Float)) and node.evaluated_value:
        yield from (f"({spot.source} / 2)", f"({spot.source} ** -1)")


def new_axes(spot: Spot) -> Iterator[str]:
    """A new axis in another place."""
    node = spot.node
    if isinstance(node, cst.Subscript):
        parts = [spot.view.source(each).rstrip(", ") for each in node.slice]
        if "None" in parts and {*parts} <= {"None", ":", "..."}:
            value = spot.view.source(node.value)
            yield from (f"{value}[{each}]" for each in ("None", ":, None", "..., None, :"))


def constants(spot: Spot) -> Iterator[str]:
    """A name in scope, or its size, in the place of a constant, or of a setting that bears it."""
    node = spot.node
    if isinstance(node, cst.Attribute):
        yield from (each for each in spot.names if each == node.attr.value)
    elif isinstance(node, cst.Subscript) and spot.is_value:
        key = spot.view.source(node.slice[0]).strip("\"'")
        yield from (each for each in spot.names if each == key)
    constant = isinstance(node, cst.Name) and node.value in ("None", "True", "False")
    if spot.is_value and (constant or isinstance(node, (cst.Integer, cst.Float))):
        yield from spot.names
        yield from (f"self.{each}" for each in spot.fields)


def defaults(spot: Spot) -> Iterator[str]:
    """Another number by default: as it is often chosen, a small one, a large one; None."""
    if isinstance(spot.parent, cst.Param) and spot.parent.default is spot.node:
        if isinstance(spot.node, cst.Integer):
            yield from ("1", "6", "8", "512", "5000")
        else:
            floats = "0.1", "0.5", "1e-5", "1e-6", "1e-9", "0.0"
            yield from floats if isinstance(spot.node, cst.Float) else ("None",)


def sizes(spot: Spot) -> Iterator[str]:
    """The size of an axis of a parameter in the place of a number."""
    number = spot.kind.is_number if spot.kind else isinstance(spot.node, cst.BaseNumber)
    if spot.is_value and number:
        for each in spot.params:
            kind = spot.kinds.get(each)
            axes = len(kind.shape) if kind is not None and kind.shape else 0
            yield from (f"{each}.shape[{axis}]" for axis in (-1, -2, 0, 1) if axis < axes)
            yield from [f"({each}.shape[-1] ** 0.5)"] if axes else []


def fills(spot: Spot) -> Iterator[str]:
    """What else a place that is blocked may be filled with."""
    if not (isinstance(spot.parent, cst.Arg) and _is_number(spot) and spot.is_value):
        return
    call = next(each for each in spot.view.around(spot.parent) if isinstance(each, cst.Call))
    name = spot.view.source(call.func).rpartition(".")[2]
    if name in _FILLING:
        yield from ("0.0", "float('-inf')", "float('inf')", "-1e9", "-1e30", "1e-5", "1e-9", "1.0")
        if isinstance(call.func, cst.Attribute):
            yield f"torch.finfo({spot.view.atom(call.func.value)}.dtype).min"


def _is_number(spot: Spot) -> bool:
    node = spot.node
    if isinstance(node, cst.Call):
        return spot.view.source(node.func) == "float"
    if isinstance(node, cst.UnaryOperation):
        return isinstance(node.expression, (cst.BaseNumber, cst.Attribute))
    if isinstance(node, cst.Attribute):
        return node.attr.value in ("inf", "min", "max", "eps")
    return isinstance(node, (cst.Float, cst.Integer, cst.Call))


def arguments(spot: Spot) -> Iterator[str]:
    """Two arguments exchanged that are no neighbours; parameters or elements exchanged."""
    node = spot.node
    if isinstance(node, cst.Call):
        yield from _exchanged(spot, [each.value for each in node.args])
    elif isinstance(node, (cst.Tuple, cst.List)):
        yield from _exchanged(spot, [each.value for each in node.elements])
    elif isinstance(node, cst.Subscript):
        yield from _exchanged(spot, [each.slice for each in node.slice])


def parameters(spot: Spot) -> Iterator[str]:
    """Two parameters of a function exchanged, or two targets of an assignment."""
    node = spot.node
    if isinstance(node, cst.FunctionDef):
        params = [each for each in node.params.params if each.name.value != "self"]
        # One without a default cannot be meant where one with a default stands.
        for alike in (True, False):
            names = [each.name for each in params if (each.default is None) is alike]
            yield from _exchanged(spot, names)
    elif isinstance(node, cst.SimpleStatementLine) and isinstance(node.body[0], cst.Assign):
        target = node.body[0].targets[0].target
        if isinstance(target, cst.Tuple):
            yield from _exchanged(spot, [each.value for each in target.elements])


def _exchanged(spot: Spot, parts: Sequence[cst.CSTNode]) -> Iterator[str]:
    """The text of a node in which two of its parts have changed places."""
    start, _ = spot.view.span(spot.node)
    text = spot.source.encode()
    for one, other in combinations(parts, 2):
        (a, b), (c, d) = (spot.view.span(each) for each in (one, other))
        a, b, c, d = (each - start for each in (a, b, c, d))
        yield (text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]).decode()


def methods(spot: Spot) -> Iterator[str]:
    """A related function; one that writes to its input no more."""
    node, parent = spot.node, spot.parent
    if isinstance(node, cst.Name) and isinstance(parent, (cst.Attribute, cst.Call)):
        yield from _OTHER_METHODS.get(node.value, ())
        if node.value.endswith("_") and not node.value.startswith("_"):
            yield node.value.rstrip("_")


def conditions(spot: Spot) -> Iterator[str]:
    """A condition that always holds, never, or the other way round."""
    node, parent = spot.node, spot.parent
    if isinstance(parent, (cst.If, cst.While, cst.IfExp)) and parent.test is node:
        yield from (f"(not {spot.atom})", "False")
        yield from [] if isinstance(parent, cst.While) else ["True"]  # it would not end
        yield from (f"{each} is {no}None" for each in spot.params for no in ("", "not "))
    if isinstance(node, cst.IfExp):
        yield from (f"({spot.view.source(each)})" for each in (node.body, node.orelse))


def tests(spot: Spot) -> Iterator[str]:
    """Another condition on two numbers in scope, or on whether one is even."""
    parent = spot.parent
    if not (isinstance(parent, (cst.If, cst.IfExp)) and parent.test is spot.node):
        return
    every = (*spot.names, *spot.known_fields)
    numbers = [each for each in every if (kind := spot.kinds.get(each)) and kind.is_number]
    yield from (f"{each} % 2 != 0" for each in numbers)
    for one, other in permutations(numbers, 2):
        yield from (f"{one} {sign} {other}" for sign in (">", ">=", "!="))
        yield f"{one} % {other} != 0"


def blocks(spot: Spot) -> Iterator[str]:
    """A block left out; a `with` without its context."""
    node = spot.node
    if isinstance(node, (cst.If, cst.For, cst.While, cst.With, cst.Try)):
        yield "pass\n"
        if isinstance(node, cst.With):
            head = spot.view.span(node.body)[0] - spot.view.span(node)[0]
            yield f"if True:{spot.source.encode()[head:].decode()}"


def statements(spot: Spot) -> Iterator[str]:
    """Two neighbours exchanged; one moved into the `with` behind it."""
    node = spot.node
    if not isinstance(node, (cst.IndentedBlock, cst.Module)):
        return
    view = spot.view
    start, _ = view.span(node)
    text = spot.source.encode()
    for one, other in zip(node.body, node.body[1:], strict=False):
        (a, b), (c, d) = (view.span(each) for each in (one, other))
        a, b, c, d = (each - start for each in (a, b, c, d))
        if isinstance(one, cst.SimpleStatementLine) and isinstance(other, cst.SimpleStatementLine):
            yield (text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]).decode()
        if isinstance(one, cst.SimpleStatementLine) and isinstance(other, cst.With):
            first = view.span(other.body.body[0])[0]
            moved, indent = text[a:b], b"\n" + view.indent(first).encode()
            first -= start
            yield (text[:a] + text[c:first] + moved + indent + text[first:]).decode()


def ways_out(spot: Spot) -> Iterator[str]:
    """A loop that is left, and not the function."""
    around = list(spot.view.around(spot.node))
    if isinstance(spot.node, cst.Return) and any(
        isinstance(x, (cst.For, cst.While)) for x in around
    ):
        yield "break"


def assignments(spot: Spot) -> Iterator[str]:
    """`x = x + y` for `x += y`, a field for a buffer or a parameter, and the other way round."""
    node, view = spot.node, spot.view
    if isinstance(node, cst.AugAssign):
        target, value = view.source(node.target), view.atom(node.value)
        sign = view.module.code_for_node(node.operator).strip().removesuffix("=")
        yield f"{target} = {target} {sign} {value}"
    if isinstance(node, cst.Assign) and len(node.targets) == 1:
        target, value = view.source(node.targets[0].target), view.source(node.value)
        if target.startswith("self."):
            name = target.removeprefix("self.")
            yield f'self.register_buffer("{name}", {value})'
            yield f'self.register_buffer("{name}", {value}, persistent=False)'
            yield f"{target} = nn.Parameter({value})"
    if isinstance(node, cst.Call) and view.source(node.func) == "nn.Parameter" and node.args:
        yield view.atom(node.args[0].value)
