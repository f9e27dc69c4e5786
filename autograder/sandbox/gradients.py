"""Gradients of what a call gave, by what was passed to it."""

from collections.abc import Sequence
from typing import Any

import torch


def outputs(value: Any) -> Sequence[Any]:
    """The values that a function gave: one, or those of a tuple or list."""
    return value if isinstance(value, (tuple, list)) else (value,)


def wants_gradient(value: Any) -> bool:
    """Whether this is a tensor that asks for one."""
    return isinstance(value, torch.Tensor) and value.requires_grad


def _broadcasts(shape: Sequence[int], to: Sequence[int]) -> bool:
    sizes = zip(reversed(shape), reversed(to), strict=False)
    return len(shape) <= len(to) and all(size in (1, whole) for size, whole in sizes)


def gradients_of(
    value: Any, cotangents: Sequence[Any], inputs: Sequence[torch.Tensor]
) -> tuple[torch.Tensor | None, ...]:
    """Of sum(output * cotangent), by each input.

    None for one that is frozen, and for all when nothing flows back, or when an output's shape
    is none for its cotangent: that is told of the output, and torch's error would hide it.
    """
    total: torch.Tensor | None = None
    for output, cotangent in zip(outputs(value), cotangents, strict=False):
        if cotangent is not None and isinstance(output, torch.Tensor):
            if not _broadcasts(cotangent.shape, output.shape):
                return (None,) * len(inputs)
            part = (output * cotangent).sum()
            total = part if total is None else total + part
    wanted = [each for each in inputs if each.requires_grad]
    if total is None or not total.requires_grad:
        return (None,) * len(inputs)
    found = iter(torch.autograd.grad(total, wanted, allow_unused=True, materialize_grads=True))
    return tuple(next(found) if each.requires_grad else None for each in inputs)
