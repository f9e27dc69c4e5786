"""What may be missing around a value: a call, a sign, an operand."""

from collections.abc import Iterator
from itertools import product

import libcst as cst

from autograder.repair.spot import Spot
from autograder.repair.view import Kind

_BY_AXES = {  # of tensors with at least so many axes
    0: (".detach()", ".clone()", ".contiguous()", ".unsqueeze(-1)", ".unsqueeze(0)"),
    1: (".unsqueeze(-2)", ".unsqueeze(1)", ".squeeze(-1)", ".sum(-1)", "[:, None]", "[:-1]"),
    2: (".transpose(-2, -1)", "[:, -1]", "[:, -1:]", ".flatten(1)", "[:, None, None]", "[:, :-1]"),
    3: (".transpose(1, 2)", ".transpose(0, 1)", ".flatten(-2)", ".flatten(2)"),
}
_OF_FLOATS = (
    *(".sqrt()", ".relu()", ".softmax(-1)", ".log_softmax(-1)", ".exp()", ".log()", ".mean()"),
    *(".sum()", " ** 2", ".float()", ".mean(-1, keepdim=True)", ".sum(-1, keepdim=True)", ".sin()"),
)
_OF_BOOLS = (".float()", ".long()", ".all()", ".any()")
_OF_WHOLE = (".float()", ".bool()", " + 1", " - 1")
_OF_NUMBERS = (" ** 2", " + 1", " - 1", " * 2", " / 2", " // 2")
_ASKED_FOR = ("shape", "dtype", "device", "ndim")  # of a tensor, whatever else is done to it


def wrapped(spot: Spot) -> Iterator[str]:
    """A call or a sign around a value."""
    if not may_lack(spot):
        return
    kind = spot.kind
    for each in _suffixes(kind):
        yield f"({spot.atom}{each})" if each.startswith(" ") else f"{spot.atom}{each}"
    yield from (f"({each}{spot.atom})" for each in _signs(kind))
    if kind is None or (kind.is_floating and kind.shape):
        yield f"({spot.atom} - {spot.atom}.mean(-1, keepdim=True))"
        yield f"({spot.atom} / {spot.atom}.sum(-1, keepdim=True))"
    if kind is None or kind.name in ("list", "generator"):
        yield f"nn.ModuleList({spot.atom})"
    above = spot.parent
    if isinstance(above, cst.Assign) and spot.view.source(above).startswith("self."):
        yield f"nn.Dropout({spot.source})"


def _suffixes(kind: Kind | None) -> Iterator[str]:
    if kind is None or kind.shape is not None:
        axes = 4 if kind is None or kind.shape is None else len(kind.shape)
        yield from (each for least, some in _BY_AXES.items() if least <= axes for each in some)
    if kind is None or kind.is_floating:
        yield from _OF_FLOATS
    if kind is not None and kind.is_bool:
        yield from _OF_BOOLS
    if kind is not None and kind.name == "torch.int64":
        yield from _OF_WHOLE
    if kind is not None and kind.is_number:
        yield from _OF_NUMBERS
    if kind is not None and kind.name in ("tuple", "list", "Size"):
        yield from ("[0]", "[1]", "[-1]")
    if kind is not None and kind.name in ("max", "min", "topk", "sort"):  # torch's named tuples
        yield from (".values", ".indices")


def _signs(kind: Kind | None) -> Iterator[str]:
    if kind is None or kind.is_bool:
        yield "~"
    if kind is None or kind.name == "bool":
        yield "not "
    if kind is None or kind.is_floating or kind.is_number:
        yield from ("-", "1 - ", "1 / ")


def of_a_shape(spot: Spot) -> Iterator[str]:
    """One size of a shape that is taken whole."""
    node = spot.node
    whole = isinstance(node, cst.Attribute) and node.attr.value == "shape"
    if whole and isinstance(spot.parent, (cst.Assign, cst.Element, cst.Arg)):
        yield from (f"{spot.source}[{each}]" for each in ("0", "1", "-1", "-2"))


def roots(spot: Spot) -> Iterator[str]:
    """The root of a number."""
    if spot.is_value and (spot.kind is None or spot.kind.is_number) and may_lack(spot):
        yield from (f"({spot.atom} ** 0.5)", f"({spot.atom} ** -0.5)")


def through(spot: Spot) -> Iterator[str]:
    """A value passed through a field of `self`, such as a dropout."""
    owns = isinstance(spot.parent, cst.Attribute)  # of a method
    if may_lack(spot) and (owns or stands_alone(spot)):
        for each in spot.fields:
            kind = spot.kinds.get(f"self.{each}")
            if kind is None or kind.name == "callable":
                yield f"self.{each}({spot.source})"


def blocked(spot: Spot) -> Iterator[str]:
    """Filled with 0 or minus infinity where truth values in scope say so, if there are any."""
    if not (may_lack(spot) and stands_alone(spot) and spot.kind and spot.kind.is_floating):
        return
    for each in spot.names:
        kind = spot.kinds.get(each)
        if kind is not None and kind.is_bool:
            for fill, sign in product(("0.0", "float('-inf')"), ("~", "")):
                blocked = f"{spot.atom}.masked_fill({sign}{each}, {fill})"
                yield f"({spot.atom} if {each} is None else {blocked})"


def with_its_like(spot: Spot) -> Iterator[str]:
    """What a call gives, added to a tensor in scope of the same shape; a factor in a sum."""
    if not (may_lack(spot) and spot.kind and spot.kind.is_floating and spot.kind.shape):
        return
    summed = isinstance(spot.parent, cst.BinaryOperation)
    for each in spot.names:
        if (other := spot.kinds.get(each)) and other.is_floating and _broadcast(spot.kind, other):
            if isinstance(spot.node, cst.Call) and stands_alone(spot) and other == spot.kind:
                yield f"({each} + {spot.atom})"
            if isinstance(spot.node, cst.Name) and summed and other.shape:
                yield f"({each} * {spot.atom})"


def operands(spot: Spot) -> Iterator[str]:
    """Something in scope added, multiplied with, or divided by."""
    if not may_lack(spot) or not stands_alone(spot):
        return
    for each in (*spot.names, *spot.known_fields):
        if each != spot.source:
            yield from _with_operand(spot, each)


def _with_operand(spot: Spot, other: str) -> Iterator[str]:
    one, two, atom = spot.kind, spot.kinds.get(other), spot.atom
    if two is None or one is None:
        return
    tensors = (one is None or one.is_tensor) and (two is None or two.is_tensor)
    if two is not None and two.is_bool and (one is None or one.is_tensor):
        if one is None or one.is_bool:
            yield from (f"({atom} & {other})", f"({atom} & ~{other})", f"({atom} | {other})")
        else:
            yield from (f"{atom}.masked_fill({each}{other}, 0.0)" for each in ("~", ""))
            yield f"{atom}.masked_fill(~{other}, float('-inf'))"
            yield f"({atom} * {other})"
    elif tensors and _broadcast(one, two):
        yield from (f"({atom} {sign} {other})" for sign in ("+", "*", "-"))
        yield from (f"({other} {sign} {atom})" for sign in ("-", "/"))
    if one is not None and two is not None and _chains(two, one):
        yield f"({other} @ {atom})"
    if one is not None and two is not None and _chains(one, two):
        yield f"({atom} @ {other})"
    if (two is None or two.is_number) and (one is None or one.is_tensor or one.is_number):
        yield from (f"({atom} {sign} {other})" for sign in ("*", "/", "+", "-"))
        yield from (f"({atom} {sign} {other} ** 0.5)" for sign in ("/", "*"))
        yield f"{atom}[:{other}]"
    if one.is_number and two.is_tensor:
        yield f"({other} / {atom})"
    if one.is_tensor and two.is_floating and two.shape and len(two.shape) > 1:
        if _chains(one, Kind(two.name, (*two.shape[:-2], two.shape[-1], two.shape[-2]))):
            yield f"({atom} @ {other}.transpose(-2, -1))"
        sizes = [each for each in spot.names if (size := spot.kinds.get(each)) and size.is_number]
        yield from (f"({atom} + {other}[:{each}])" for each in sizes)
        yield f"({atom} + {other}[: {atom}.shape[1]])"
    if two is not None and two.shape and one is not None and one.is_floating and two.is_floating:
        yield from (f"({atom} {sign} {other}.shape[-1] ** 0.5)" for sign in ("/", "*"))
    if one is not None and two is not None and one.shape and two.shape and len(two.shape) > 1:
        yield f"{atom}[:{other}.shape[1]]"
        if one.name != two.name:
            yield f"{atom}.to({other}.dtype)"


def _broadcast(one: Kind | None, other: Kind | None) -> bool:
    """Whether two tensors can be added, as far as their shapes are known."""
    if one is None or other is None or one.shape is None or other.shape is None:
        return True
    pairs = zip(reversed(one.shape), reversed(other.shape), strict=False)
    return all(a == b or 1 in (a, b) for a, b in pairs)


def _chains(one: Kind, other: Kind) -> bool:
    """Whether two tensors can be multiplied as matrices."""
    if not one.shape or not other.shape or len(one.shape) < 2 or len(other.shape) < 2:
        return False
    return one.shape[-1] == other.shape[-2]


def as_in(spot: Spot) -> Iterator[str]:
    """What is bound in another line of the same function."""
    if isinstance(spot.parent, cst.Assign) and spot.is_value and spot.function is not None:
        for each in spot.view.bound_values(spot.function):
            if each is not spot.node and len(spot.view.source(each)) < 80:
                yield spot.view.source(each)


def may_lack(spot: Spot) -> bool:
    """Whether something may be missing around it: a value that is used, and no setting."""
    kinds = cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.BinaryOperation, cst.Comparison
    more = cst.UnaryOperation, cst.List, cst.ListComp, cst.IfExp, cst.BooleanOperation
    if not (spot.is_value and isinstance(spot.node, (*kinds, *more))):
        return False
    if spot.function is None and not isinstance(spot.parent, cst.Assign):
        return False
    above = spot.parent
    if isinstance(above, cst.Attribute) and above.attr.value in _ASKED_FOR:
        return False
    if isinstance(above, cst.Index) or isinstance(spot.node, cst.BaseNumber):
        return False
    source = spot.source
    return source not in ("super()", "True", "False", "None", "self") and not isinstance(
        spot.parent, cst.Expr
    )


def stands_alone(spot: Spot) -> bool:
    """Whether it is what is assigned, returned, passed on, or computed with."""
    parents = cst.Assign, cst.Return, cst.Arg, cst.BinaryOperation, cst.Element, cst.Comparison
    return isinstance(spot.parent, parents)
