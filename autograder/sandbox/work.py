"""Counts the work of a call: its calls of torch, and the multiplications in products of matrices.

How many a product takes follows from the shapes; of what is no plain product torch's own formulas
say it. They are asked for each operation that torch dispatches, and in inference mode an operation
that is made of others arrives there whole: it is taken apart first. What is multiplied element by
element is not counted.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry

_aten: Any = torch.ops.aten
_OF_OTHERS = torch._C.DispatchKey.CompositeImplicitAutograd
_FLOPS_OF_ONE = 2  # torch counts an addition with each multiplication
# Products, by where their first matrix is passed. Torch has a formula for some of them, which looks
# for shapes in whatever is passed: that takes long. With a vector, and in place, it has none.
_BY_POSITION = {
    0: ("mm", "bmm", "mv", "dot", "vdot", "_int_mm"),
    1: ("addmm", "addmv", "baddbmm", "addbmm", "addmm_", "addmv_", "baddbmm_", "addbmm_"),
}
_PRODUCTS: Mapping[Any, int] = {
    getattr(_aten, name): position for position, names in _BY_POSITION.items() for name in names
}


class Counter(TorchFunctionMode):
    """While it is entered, `count` grows with each call of torch from Python."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Do what torch would, and count."""
        self.count += 1
        return func(*args, **(kwargs or {}))


class Work(TorchDispatchMode):  # type: ignore[no-untyped-call] # torch is not typed here
    """While it is entered, `multiplications` grows."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.multiplications = 0

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # Nothing is compiled here. Torch would import its compiler to keep it away from this class:
        # that takes seconds, and files that lie behind no wall.
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Do what torch would, and count."""
        options = kwargs or {}
        count, of_others = _known(func)
        if of_others:
            with self:
                return func._op_dk(_OF_OTHERS, *args, **options)
        result = func(*args, **options)
        if count is not None:
            self.multiplications += count(args, options, result)
        return result


@cache
def _known(func: Any) -> tuple[Callable[..., int] | None, bool]:
    """How its multiplications are counted, if they are; if not, whether it is made of others."""
    packet = func._overloadpacket
    if packet in _PRODUCTS:
        at = _PRODUCTS[packet]
        return lambda args, options, result: _product(*args[at : at + 2]), False
    if formula := flop_registry.get(packet):
        return (
            lambda args, options, result: formula(*args, **options, out_val=result) // _FLOPS_OF_ONE
        ), False
    # Not func.decompose: of some it takes torch's Python, which imports a library for symbols.
    return None, torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), _OF_OTHERS)


def _product(first: torch.Tensor, second: torch.Tensor) -> int:
    """Each number of the first is multiplied with those of a row of the second, or with one."""
    return first.numel() * (second.shape[-1] if second.dim() > 1 else 1)
