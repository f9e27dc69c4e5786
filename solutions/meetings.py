"""Where two situations meet: code may be right in each of them, and wrong there.

A table of meetings has a row for each question. Every two of what its columns hold stand in one
row, as far as they can meet at all: a test counts them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
import torch

from autograder.checking import Agree, Blueprint, Draw

Meeting = tuple[Any, ...]


def meeting(rows: Sequence[Meeting]) -> pytest.MarkDecorator:
    """A check is asked of each of these rows of a table."""
    return pytest.mark.parametrize("met", rows, ids=str)


def made_for(made: Blueprint, dtype: torch.dtype, is_trained: bool) -> Blueprint:
    """The module in this dtype, and in this mode."""
    made = made.training() if is_trained else made
    return made.in_float32() if dtype == torch.float32 else made


def relaid(x: torch.Tensor) -> torch.Tensor:
    """The same, whose axes lie in memory in the opposite order."""
    order = tuple(range(x.ndim))[::-1]
    return x.permute(order).contiguous().permute(order)


def ask_there(
    agree: Agree,
    target: str | Blueprint,
    *args: Any,
    asked: str,
    upstream: torch.Tensor | None = None,
    earlier: Mapping[int | str, torch.Tensor],
    how: Mapping[str, Any] | None = None,
    **named: Any,
) -> None:
    """It agrees, whatever is asked beside the values, and leaves its inputs as they are.

    upstream: what the first output is multiplied by, where gradients are asked for; earlier:
    arguments of the call before, in the memory of this one's or with other weights; how: more for
    `agree`.
    """
    beside: dict[str, dict[str, Any]] = {
        "gradients": {"cotangents": (upstream, None)},
        "gradients of others": {"cotangents": (upstream, None), "by": range(1, len(args))},
        "device": {"elsewhere": True},
        "in place": {"before": earlier, "in_place": True, "without_grad": True},
        "other weights": {"before": earlier, "before_loading": True, "without_grad": True},
    }
    agree(target, *args, **named, **(how or {}), **beside[asked], unchanged=True)


def ask_one(
    agree: Agree,
    draw: Draw,
    made: Blueprint,
    shape: tuple[int, ...],
    met: Meeting,
    times: int = 1,
    **masks: Any,
) -> None:
    """Of a module whose one input has this shape, as its output has; times: how large it is."""
    *_, dtype, is_relaid, is_trained, asked = met
    x, other, upstream = (draw.normal(*shape, dtype=dtype) for _ in range(3))
    beside: dict[str, Any] = {"asked": asked, "upstream": upstream, "earlier": {0: other}}
    x = times * (relaid(x) if is_relaid else x)
    ask_there(agree, made_for(made, dtype, is_trained), x, **beside, **masks)
