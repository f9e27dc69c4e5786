"""Where two situations meet: code may be right in each of them, and wrong there.

A table of meetings has a row for each question. Every two of what its columns hold stand in one
row, as far as they can meet at all: a test counts them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
import torch

from autograder.checking import Agree, Blueprint

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
    upstream: torch.Tensor,
    earlier: Mapping[int | str, torch.Tensor],
    how: Mapping[str, Any] | None = None,
    **named: Any,
) -> None:
    """It agrees, whatever is asked beside the values, and leaves its inputs as they are.

    upstream: what the first output is multiplied by, for gradients; earlier: arguments of the call
    before, in the memory of this one's or with other weights; how: more for `agree`.
    """
    beside: dict[str, dict[str, Any]] = {
        "gradients": {"cotangents": (upstream, None)},
        "gradients of others": {"cotangents": (upstream, None), "by": range(1, len(args))},
        "device": {"elsewhere": True},
        "in place": {"before": earlier, "in_place": True, "without_grad": True},
        "other weights": {"before": earlier, "before_loading": True, "without_grad": True},
    }
    agree(target, *args, **named, **(how or {}), **beside[asked], unchanged=True)
