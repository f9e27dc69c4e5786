"""Numbers in a line, for whoever works them out by hand; grader and notebook write them alike."""

from typing import Any

import torch
from torch import Tensor

DIGITS = (4, 6, 9, 12, 17)  # significant; more only where less would not tell two numbers apart
MOST = 100  # numbers: nobody reads more of them in a line
_WHOLE = 1e6  # whole numbers below it are written with all their digits


def written(value: Any, digits: int = DIGITS[0]) -> str:
    """A value as a reader would type it; a tensor as its nested list."""
    if isinstance(value, Tensor):
        return _nested(value.tolist(), digits) if value.numel() <= MOST else "..."
    return repr(value)


def typed(value: Any) -> str:
    """An input, with the digits that it takes to get the very same one by typing it."""
    if not isinstance(value, Tensor) or not value.is_floating_point():
        return written(value)
    numbers = value.detach().flatten()
    for digits in DIGITS:
        read = [float(f"{each:.{digits}g}") for each in numbers.tolist()]
        if torch.tensor(read, dtype=value.dtype).equal(numbers):
            break
    return written(value, digits)


def _nested(value: Any, digits: int) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_nested(each, digits) for each in value)}]"
    if isinstance(value, float):
        value += 0.0  # no -0
        whole = abs(value) < _WHOLE and value == round(value)
        return f"{value:.0f}" if whole else f"{value:.{digits}g}"
    return str(value)
