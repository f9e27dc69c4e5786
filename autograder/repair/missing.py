"""What may be missing in a piece of code: a call, an argument, an operand, a statement."""

from collections.abc import Callable, Iterator, Sequence
from itertools import product

import libcst as cst

from autograder.repair.view import Kind, Spot

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
_REDUCING = {
    *("mean", "var", "std", "sum", "max", "min", "amax", "amin", "any", "all", "norm", "argmax"),
    *("logsumexp", "prod", "softmax", "log_softmax", "cumsum", "median"),
}
_MAKING = {
    *("arange", "zeros", "ones", "full", "tensor", "eye", "empty", "linspace", "tril_indices"),
    *("zeros_like", "ones_like", "full_like", "as_tensor", "randn", "rand"),
}


def wrapped(spot: Spot) -> Iterator[str]:
    """A call or a sign around a value."""
    if not _may_lack(spot):
        return
    kind = spot.kind
    for each in _suffixes(kind):
        yield f"({spot.atom}{each})" if each.startswith(" ") else f"{spot.atom}{each}"
    yield from (f"({each}{spot.atom})" for each in _signs(kind))
    if kind is None or kind.name in ("list", "generator"):
        yield f"nn.ModuleList({spot.atom})"


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


def through(spot: Spot) -> Iterator[str]:
    """A value passed through a field of `self`, such as a dropout."""
    if _may_lack(spot) and _stands_alone(spot):
        for each in spot.fields:
            kind = spot.kinds.get(f"self.{each}")
            if kind is None or kind.name == "callable":
                yield f"self.{each}({spot.source})"


def operands(spot: Spot) -> Iterator[str]:
    """Something in scope added, multiplied with, or divided by."""
    if not _may_lack(spot) or not _stands_alone(spot):
        return
    for each in (*spot.names, *_known_fields(spot)):
        if each != spot.source:
            yield from _with_operand(spot, each)


def _known_fields(spot: Spot) -> Iterator[str]:
    """The fields that are numbers or tensors."""
    for each in spot.fields:
        kind = spot.kinds.get(f"self.{each}")
        if kind is not None and (kind.is_tensor or kind.is_number):
            yield f"self.{each}"


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
        yield f"({other} - {atom})"
    if one is not None and two is not None and _chains(two, one):
        yield f"({other} @ {atom})"
    if one is not None and two is not None and _chains(one, two):
        yield f"({atom} @ {other})"
    if (two is None or two.is_number) and (one is None or one.is_tensor or one.is_number):
        yield from (f"({atom} {sign} {other})" for sign in ("*", "/", "+", "-"))
        yield from (f"({atom} {sign} {other} ** 0.5)" for sign in ("/", "*"))
        yield f"{atom}[:{other}]"
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


def _may_lack(spot: Spot) -> bool:
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


def _stands_alone(spot: Spot) -> bool:
    """Whether it is what is assigned, returned, passed on, or computed with."""
    parents = cst.Assign, cst.Return, cst.Arg, cst.BinaryOperation, cst.Element, cst.Comparison
    return isinstance(spot.parent, parents)


def keywords(spot: Spot) -> Iterator[str]:
    """An argument more, by name, as torch's own functions take them."""
    node = spot.node
    if not isinstance(node, cst.Call):
        return
    name = spot.view.source(node.func).rpartition(".")[2]
    more: list[str] = []
    if name in _REDUCING:
        more += ["keepdim=True", "dim=-1", "dim=-1, keepdim=True", "-1", "-2", "-1, keepdim=True"]
    if name in ("var", "std"):
        more += ["unbiased=False", "correction=0"]
        more += ["-1, keepdim=True, unbiased=False", "keepdim=True, unbiased=False"]
    if name in _MAKING:
        for each in spot.params:
            more += [f"device={each}.device", f"dtype={each}.dtype"]
            more += [f"dtype={each}.dtype, device={each}.device", f"device={each}"]
        more += ["dtype=torch.bool", "dtype=torch.float64", "dtype=torch.long", "dtype=torch.float"]
    if name in ("tril", "triu"):
        more += ["diagonal=1", "diagonal=-1"]
    if name == "register_buffer":
        more += ["persistent=False"]
    yield from (_with_argument(spot, node, each) for each in more)


def passed_on(spot: Spot) -> Iterator[str]:
    """Something in scope passed on, as one more argument."""
    node = spot.node
    if not isinstance(node, cst.Call) or spot.source == "super()" or _is_method(spot, node):
        return
    for each in (*spot.names, *_known_fields(spot)):
        yield _with_argument(spot, node, each)
        for at in range(len(node.args)):
            args = [spot.view.source(arg) for arg in node.args]
            yield f"{spot.view.source(node.func)}({', '.join([*args[:at], each, *args[at:]])})"
    yield from (_with_argument(spot, node, f"{each}={each}") for each in spot.names)


def given(spot: Spot) -> Iterator[str]:
    """One more argument of a method of a tensor, or of a function of torch's."""
    node = spot.node
    if isinstance(node, cst.Call) and _is_method(spot, node):
        args = [spot.view.source(arg) for arg in node.args]
        for each in spot.names:
            kind = spot.kinds.get(each)
            more = [f"~{each}", each] if kind is not None and kind.is_bool else [each]
            for one, at in product(more, range(len(args) + 1)):
                inside = ", ".join([*args[:at], one, *args[at:]])
                yield f"{spot.view.source(node.func)}({inside})"


def _is_method(spot: Spot, node: cst.Call) -> bool:
    """Whether a method of a tensor is called, or one of torch's own functions."""
    func = node.func
    if not isinstance(func, cst.Attribute):
        return False
    kind = spot.view.kind(func.value)
    return (kind is not None and kind.is_tensor) or spot.view.source(func.value) == "torch"


def _with_argument(spot: Spot, node: cst.Call, argument: str) -> str:
    inside = ", ".join(spot.view.source(each) for each in node.args)
    parts = ", ".join(filter(None, (inside, argument)))
    return f"{spot.view.source(node.func)}({parts})"


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
    if isinstance(body, cst.IndentedBlock) and body.body[-1] is node:
        if not isinstance(node.body[-1], (cst.Return, cst.Raise)):
            indent = spot.view.indent(spot.view.span(node)[0])
            known = [*spot.names, *_targets(node)]
            yield from (f"{spot.source}\n{indent}return {each}" for each in known)
            pairs = ((one, other) for one in known for other in known if one != other)
            yield from (f"{spot.source}\n{indent}return {one}, {two}" for one, two in pairs)


def _targets(node: cst.SimpleStatementLine) -> list[str]:
    found = (each.target for part in node.body if isinstance(part, cst.Assign) for each in part.targets)
    return [each.value for each in found if isinstance(each, cst.Name)]


def several(spot: Spot) -> Iterator[str]:
    """One module made anew for each place of a list."""
    node = spot.node
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Multiply):
        for one, times in ((node.left, node.right), (node.right, node.left)):
            if isinstance(one, cst.List) and len(one.elements) == 1:
                each, count = spot.view.source(one.elements[0].value), spot.view.source(times)
                yield f"[{each} for _ in range({count})]"
                yield f"[__import__('copy').deepcopy({each}) for _ in range({count})]"


def as_in(spot: Spot) -> Iterator[str]:
    """What is bound in another line of the same function."""
    if isinstance(spot.parent, cst.Assign) and spot.is_value and spot.function is not None:
        for each in spot.view.bound_values(spot.function):
            if each is not spot.node and len(spot.view.source(each)) < 80:
                yield spot.view.source(each)


def roots(spot: Spot) -> Iterator[str]:
    """The root of a number."""
    if spot.is_value and (spot.kind is None or spot.kind.is_number) and _may_lack(spot):
        yield from (f"({spot.atom} ** 0.5)", f"({spot.atom} ** -0.5)")


MISSING: Sequence[tuple[int, Callable[[Spot], Iterator[str]]]] = (
    (1, keywords),
    (1, kept),
    (1, several),
    (1, roots),
    (1, through),
    (2, wrapped),
    (2, passed_on),
    (2, as_in),
    (2, made_anew),
    (2, given),
    (3, returned),
    (3, operands),
)
