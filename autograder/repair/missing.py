"""What may be missing in a piece of code: a call, an argument, an operand, a statement."""

from collections.abc import Callable, Iterator, Sequence

import libcst as cst

from autograder.repair.view import Spot

_SUFFIXES = (
    *(".transpose(-2, -1)", ".transpose(1, 2)", ".transpose(0, 1)", ".contiguous()", ".detach()"),
    *(".clone()", ".unsqueeze(-1)", ".unsqueeze(-2)", ".unsqueeze(1)", ".unsqueeze(0)"),
    *(".squeeze(-1)", ".squeeze(1)", ".flatten(-2)", ".sqrt()", ".relu()", ".softmax(-1)"),
    *(".bool()", ".float()", ".mean()", ".mean(-1)", ".sum()", ".exp()", ".log()", ".log_softmax(-1)"),
    *(".max(-1, keepdim=True).values", ".values", ".indices", "[0]", "[1]", "[-1]", "[1:]", "[:-1]"),
    *("[:, None]", "[:, -1]", "[:, -1:]", "[:, 1:]", "[:, :-1]", " ** 0.5", " ** -0.5", " ** 2"),
    *(" + 1", " - 1", " * 2", " / 2", " // 2", ".long()"),
)
_PREFIXES = ("~", "-", "not ", "1 - ", "1 / ")
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
    if _may_lack(spot):
        atom = spot.atom
        yield from (f"({each}{atom})" for each in _PREFIXES)
        for each in _SUFFIXES:
            yield f"({atom}{each})" if " " in each[:1] else f"{atom}{each}"
        yield f"nn.ModuleList({atom})"


def through(spot: Spot) -> Iterator[str]:
    """A value passed through a field of `self`, such as a dropout."""
    if _may_lack(spot):
        yield from (f"self.{each}({spot.source})" for each in spot.fields)


def operands(spot: Spot) -> Iterator[str]:
    """Something in scope added, multiplied with, or divided by."""
    if not _may_lack(spot) or not _stands_alone(spot):
        return
    atom = spot.atom
    known = [*spot.names, *(f"self.{each}" for each in spot.fields)]
    for each in known:
        if each != spot.source:
            yield from (f"({atom} {sign} {each})" for sign in ("+", "*", "/", "&", "-"))
            yield f"({atom} & ~{each})"
            yield f"({each} - {atom})"
            yield f"({atom}[:{each}])"
            yield f"{atom}.masked_fill(~{each}, 0.0)"
            yield f"{atom}.masked_fill({each}, 0.0)"
        yield f"({atom} / {each}.shape[-1] ** 0.5)"
        yield f"({atom} * {each}.shape[-1] ** 0.5)"
        yield f"({atom} / {each} ** 0.5)"
        yield f"({atom} * {each} ** 0.5)"
        yield f"{atom}[:{each}.shape[1]]"
        yield f"{atom}[:, :{each}.shape[1]]"
        yield f"{atom}.to({each}.dtype)"
        yield f"{atom}.to({each}.device)"


def _may_lack(spot: Spot) -> bool:
    kinds = cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.BinaryOperation, cst.Comparison
    more = cst.UnaryOperation, cst.List, cst.ListComp, cst.IfExp, cst.BooleanOperation
    if not (spot.is_value and isinstance(spot.node, (*kinds, *more))):
        return False
    if spot.function is None and not isinstance(spot.parent, cst.Assign):
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
    if not isinstance(node, cst.Call) or spot.source == "super()":
        return
    for each in [*spot.names, *(f"self.{field}" for field in spot.fields)]:
        yield _with_argument(spot, node, each)
    yield from (_with_argument(spot, node, f"{each}={each}") for each in spot.names)


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
    indent = _indent(spot)
    yield from (f"{each} = {each}.clone()\n{indent}{spot.source}" for each in spot.names)
    if spot.function.name.value == "__init__" and "super" not in spot.view.source(spot.function):
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
            indent = _indent(spot)
            known = [*spot.names, *_targets(node)]
            yield from (f"{spot.source}\n{indent}return {each}" for each in known)
            pairs = ((one, other) for one in known for other in known if one != other)
            yield from (f"{spot.source}\n{indent}return {one}, {two}" for one, two in pairs)


def _targets(node: cst.SimpleStatementLine) -> list[str]:
    found = (each.target for part in node.body if isinstance(part, cst.Assign) for each in part.targets)
    return [each.value for each in found if isinstance(each, cst.Name)]


def _indent(spot: Spot) -> str:
    start = spot.view.span(spot.node)[0]
    before = spot.view.text.encode()[:start].decode()
    return before[before.rfind("\n") + 1 :]


def several(spot: Spot) -> Iterator[str]:
    """One module made anew for each place of a list."""
    node = spot.node
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Multiply):
        for one, times in ((node.left, node.right), (node.right, node.left)):
            if isinstance(one, cst.List) and len(one.elements) == 1:
                each, count = spot.view.source(one.elements[0].value), spot.view.source(times)
                yield f"[{each} for _ in range({count})]"
                yield f"[__import__('copy').deepcopy({each}) for _ in range({count})]"


MISSING: Sequence[tuple[int, Callable[[Spot], Iterator[str]]]] = (
    (1, keywords),
    (1, kept),
    (1, several),
    (2, wrapped),
    (2, through),
    (2, passed_on),
    (2, returned),
    (2, made_anew),
    (3, operands),
)
