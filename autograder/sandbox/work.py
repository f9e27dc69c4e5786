"""Counts the work of a call: its calls of torch, and the multiplications in products of matrices.

Torch's own formulas say how many a product takes, from the shapes alone. They are asked for each
operation that torch dispatches, and in inference mode an operation that is made of others arrives
there whole: it is taken apart first. What is multiplied element by element is not counted.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry

_aten: Any = torch.ops.aten
_OF_OTHERS = torch._C.DispatchKey.CompositeImplicitAutograd
_FLOPS_OF_ONE = 2  # torch counts an addition with each multiplication


def _numbers_of(position: int) -> Callable[..., int]:
    """As many as there are numbers in one of the inputs."""
    return lambda *args, **_: _FLOPS_OF_ONE * int(args[position].numel())


# Products with a vector, of which torch's list has none.
_WITH_A_VECTOR: Mapping[Any, Callable[..., int]] = {
    _aten.mv: _numbers_of(0),
    _aten.addmv: _numbers_of(1),
    _aten.dot: _numbers_of(0),
}
_FLOPS: Mapping[Any, Callable[..., int]] = {**flop_registry, **_WITH_A_VECTOR}


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
        flops = _FLOPS.get(func._overloadpacket)
        # Not func.decompose: of some it takes torch's Python, which imports a library for symbols.
        if flops is None and torch._C._dispatch_has_kernel_for_dispatch_key(
            func.name(), _OF_OTHERS
        ):
            with self:
                return func._op_dk(_OF_OTHERS, *args, **options)
        result = func(*args, **options)
        if flops is not None:
            self.multiplications += flops(*args, **options, out_val=result) // _FLOPS_OF_ONE
        return result
