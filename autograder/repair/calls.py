"""What may be missing in a call: an argument."""

from collections.abc import Iterator
from itertools import product

import libcst as cst

from autograder.repair.spot import Spot

_REDUCING = {
    *("mean", "var", "std", "sum", "max", "min", "amax", "amin", "any", "all", "norm", "argmax"),
    *("logsumexp", "prod", "softmax", "log_softmax", "cumsum", "median"),
}
_MAKING = {
    *("arange", "zeros", "ones", "full", "tensor", "eye", "empty", "linspace", "tril_indices"),
    *("zeros_like", "ones_like", "full_like", "as_tensor", "randn", "rand"),
}


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
    if name == "Linear":
        more += ["bias=False"]
    if name == "register_buffer":
        more += ["persistent=False"]
    yield from (_with_argument(spot, node, each) for each in more)


def passed_on(spot: Spot) -> Iterator[str]:
    """Something in scope passed on, as one more argument."""
    node = spot.node
    if not isinstance(node, cst.Call) or spot.source == "super()" or _is_method(spot, node):
        return
    for each in (*spot.names, *spot.known_fields):
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
        for each in (*spot.names, "-1", "0", "1", "2"):
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


def several(spot: Spot) -> Iterator[str]:
    """One module made anew for each place of a list."""
    node = spot.node
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Multiply):
        for one, times in ((node.left, node.right), (node.right, node.left)):
            if isinstance(one, cst.List) and len(one.elements) == 1:
                each, count = spot.view.source(one.elements[0].value), spot.view.source(times)
                yield f"[{each} for _ in range({count})]"
                yield f"[__import__('copy').deepcopy({each}) for _ in range({count})]"
