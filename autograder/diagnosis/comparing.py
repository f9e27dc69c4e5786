"""How two answers compare: in all that a check looks at, to what it allows."""

import math
from typing import Any

import torch
from torch import Tensor

from autograder.diagnosis.evidence import Case
from autograder.diagnosis.seen import KIND, seen
from autograder.handout.checks.compare import FLOAT32
from autograder.sandbox.session import Answer

# A fault is told only where it is that many times what is allowed away from what is right.
FACTOR = 100.0
_LOOSELY = 1e-6  # what a few numbers made in float32 may move the others
_NOTHING = 1e-12  # what whole numbers and truth values may differ by, of those in a double
_FACTOR_BY_HAND = 10.0  # of numbers with two decimals: more there cannot be


def same(one: Answer, other: Answer, case: Case, loosely: bool = False) -> bool:
    """Whether two answers are one within what is allowed, in all that the check looks at.

    loosely: to the digits of float32, a tiny number for 0, NaN for an infinity, an exception in
    other words.
    """
    return _distance(one, other, case, loosely, 1.0) <= 1


def apart(fault: Answer, case: Case, loosely: bool = False) -> bool:
    """Whether an answer is so far from what is right that no rounding makes it so.

    loosely: nor the rounding of float32; and an exception does not count.
    """
    if loosely and fault.failure is not None:
        return False
    factor = _FACTOR_BY_HAND if case.is_value else FACTOR
    return _distance(fault, case.right, case, loosely, factor) >= factor


def _distance(one: Answer, other: Answer, case: Case, loosely: bool, enough: float) -> float:
    """The largest difference in units of what is allowed; infinite where they differ in kind.

    enough: a larger one is not looked for once one is above that.
    """
    largest = 0.0
    try:
        ours, theirs = (seen(each, case, loosely) for each in (one, other))
        if ours.keys() != theirs.keys():
            return torch.inf
        exactly = case.asked is not None and case.asked.exact_zeros and not loosely
        zeros = seen(case.right, case, loosely) if exactly else {}
        for name in ours:
            where = zeros.get(name)
            largest = max(largest, parts_apart(ours[name], theirs[name], case, loosely, where))
            if largest > enough:
                break
    except RuntimeError:  # a tensor of an odd kind, which torch cannot compare
        return torch.inf
    return largest


def parts_apart(one: Any, other: Any, case: Case, loosely: bool, zeros: Any = None) -> float:
    """How far two parts of answers are from each other, in units of what is allowed.

    zeros: what is right, if where it is 0 only the same will do; elsewhere, rounding may make a 0.
    """
    if isinstance(one, float) and isinstance(other, float):
        one, other = (torch.tensor(each, dtype=torch.float64) for each in (one, other))
    if not (isinstance(one, Tensor) and isinstance(other, Tensor)):
        alike = type(one) is type(other) and bool(one == other)
        return 0.0 if alike else torch.inf
    if not alike_in_kind(one, other):
        return torch.inf
    if one.device.type == "meta" or not one.numel():
        return 0.0
    one, other = one.detach().to_dense(), other.detach().to_dense()
    if not one.is_floating_point():
        return 0.0 if torch.equal(one, other) else torch.inf
    if isinstance(zeros, Tensor) and zeros.shape == one.shape:
        where = zeros == 0
        if not torch.equal(one[where] == 0, other[where] == 0):
            return torch.inf
    most = allowed(one, case, loosely)
    largest = _distance_of(one, other)
    if not math.isnan(largest):
        return largest / most
    # The same infinities, and NaN where the other has it; or what further steps made of these.
    finite = one.isfinite()
    if not torch.equal(finite, other.isfinite()):
        return torch.inf
    kinds = (each[~finite].nan_to_num(0.0) for each in (one, other))
    if not loosely and not torch.equal(*kinds):
        return torch.inf
    one, other = one[finite], other[finite]
    return _distance_of(one, other) / most if one.numel() else 0.0


def is_rows(value: Any) -> bool:
    """Whether it is a tensor of numbers, or of truth values, that lie in rows."""
    return (
        isinstance(value, Tensor)
        and not (value.is_complex() or value.is_quantized)
        and value.device.type != "meta"
        and value.layout == torch.strided
        and value.dim() > 0
        and value.numel() > 0
    )


def alike_in_kind(one: Tensor, other: Any) -> bool:
    """Whether the other is a tensor that could be the same."""
    return isinstance(other, Tensor) and all(getattr(one, x) == getattr(other, x) for x in KIND)


def _distance_of(one: Tensor, other: Tensor) -> float:
    """The largest difference, relative to values above 1."""
    size = torch.maximum(one.abs(), other.abs()).clamp(min=1)
    return float(((one - other).abs() / size).amax())


def allowed(value: Tensor, case: Case, loosely: bool) -> float:
    """How large that may be."""
    if not value.is_floating_point():
        return _NOTHING
    double = value.dtype == torch.float64 and not case.in_float32
    tolerance = max(case.tolerance, _LOOSELY) if loosely else case.tolerance
    return tolerance if double else max(tolerance, FLOAT32)
