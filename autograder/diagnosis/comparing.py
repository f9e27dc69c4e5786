"""How two answers compare: in all that a check looks at, to what it allows.

Whatever a check leaves open may differ.
"""

import contextlib
import math
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import torch
from torch import Tensor

from autograder.checking import Asked, too_little, too_much
from autograder.diagnosis.evidence import WRONG_PARAMETERS, Case, is_one_number
from autograder.handout.checks.compare import FLOAT32
from autograder.sandbox.failure import Failure
from autograder.sandbox.modules import Blueprint
from autograder.sandbox.session import EARLIER, Answer

# A fault is told only where it is that many times what is allowed away from what is right.
FACTOR = 100.0
_LOOSELY = 1e-6  # what a few numbers made in float32 may move the others
# What torch says of sizes that do not go together, in the words of several operations.
_SIZES = re.compile(r"must match the (size of tensor b|existing size)|match the broadcast shape")
_FACTOR_BY_HAND = 10.0  # of numbers with two decimals: more there cannot be
_RAISES = "raise ", "assert "  # what lines begin with that write the words of an exception
_KIND = "shape", "dtype", "device", "layout"  # in which two tensors must not differ at all


def shapes(answer: Answer) -> set[tuple[str, tuple[int, ...]]]:
    """The names and shapes of the parameters in an answer."""
    found = answer.value if isinstance(answer.value, Mapping) else {}
    return {(name, tuple(each.shape)) for name, each in found.items() if isinstance(each, Tensor)}


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


class WrongParts:
    """What is wrong in an answer: rows of numbers, or what is one: found once, for many others.

    Two mistakes that show in one answer leave each other some of it: a gradient, a row.
    loosely: to the digits of float32 (see `same`).
    """

    def __init__(self, answer: Answer, case: Case, loosely: bool = False) -> None:
        self._case = case
        self._loosely = loosely
        self._rows: dict[str, tuple[Tensor, Tensor, Tensor, Tensor]] = {}
        self._others: dict[str, Any] = {}
        with contextlib.suppress(RuntimeError):  # a tensor of an odd kind, or several in a list
            ours, right = (_seen(each, case, loosely) for each in (answer, case.right))
            for name, value in ours.items():
                self._note(name, value, right.get(name))

    def _note(self, name: str, value: Any, right: Any) -> None:
        if not _is_rows(value):
            if _apart(value, right, self._case, self._loosely) >= FACTOR:
                self._others[name] = value
            return
        rows = _rows(value)
        wrong, off = torch.ones(len(rows), dtype=torch.bool), torch.zeros(len(rows))
        if _alike_in_kind(value, right):
            off = _row_distance(rows, _rows(right))
            wrong = off >= FACTOR * _allowed(value, self._case, self._loosely)
        if wrong.any():
            self._rows[name] = value, wrong, rows[wrong], off[wrong]

    def __len__(self) -> int:
        """How many they are."""
        return sum(len(rows) for _, _, rows, _ in self._rows.values()) + len(self._others)

    def shared(self, other: Answer, nearly: float) -> tuple[int, int]:
        """How many of them another answer has, and has but for `nearly` of the way from right."""
        found = [(0, 0)]
        with contextlib.suppress(RuntimeError):  # torch cannot compare them
            theirs = _seen(other, self._case, self._loosely)
            found += [self._shared(name, value, nearly) for name, value in theirs.items()]
        return sum(own for own, _ in found), sum(near for _, near in found)

    def _shared(self, name: str, other: Any, nearly: float) -> tuple[int, int]:
        if name in self._others:
            one = int(_apart(self._others[name], other, self._case, self._loosely) <= 1)
            return one, one
        if name not in self._rows or not _alike_in_kind(self._rows[name][0], other):
            return 0, 0
        value, wrong, rows, off = self._rows[name]
        allowed = _allowed(value, self._case, self._loosely)
        away = _row_distance(rows, _rows(other)[wrong])
        return int((away <= allowed).sum()), int((away <= (nearly * off).clamp(min=allowed)).sum())


def _is_rows(value: Any) -> bool:
    return (
        isinstance(value, Tensor)
        and value.is_floating_point()
        and value.device.type != "meta"
        and value.layout == torch.strided
        and value.dim() > 0
        and value.numel() > 0
    )


def _alike_in_kind(one: Tensor, other: Any) -> bool:
    return isinstance(other, Tensor) and all(getattr(one, x) == getattr(other, x) for x in _KIND)


def _rows(value: Tensor) -> Tensor:
    far = 1e30  # what is no number is as far from every number
    return value.detach().nan_to_num(far, 2 * far, -2 * far).reshape(-1, value.shape[-1])


def _row_distance(one: Tensor, other: Tensor) -> Tensor:
    size = torch.maximum(one.abs(), other.abs()).clamp(min=1)
    return ((one - other).abs() / size).amax(-1)


def _allowed(value: Tensor, case: Case, loosely: bool) -> float:
    double = value.dtype == torch.float64 and not case.in_float32
    tolerance = max(case.tolerance, _LOOSELY) if loosely else case.tolerance
    return tolerance if double else max(tolerance, FLOAT32)


def _distance(one: Answer, other: Answer, case: Case, loosely: bool, enough: float) -> float:
    """The largest difference in units of what is allowed; infinite where they differ in kind.

    enough: a larger one is not looked for once one is above that.
    """
    largest = 0.0
    try:
        ours, theirs = (_seen(each, case, loosely) for each in (one, other))
        if ours.keys() != theirs.keys():
            return torch.inf
        exactly = case.asked is not None and case.asked.exact_zeros and not loosely
        zeros = _seen(case.right, case, loosely) if exactly else {}
        for name in ours:
            where = zeros.get(name)
            largest = max(largest, _apart(ours[name], theirs[name], case, loosely, where))
            if largest > enough:
                break
    except RuntimeError:  # a tensor of an odd kind, which torch cannot compare
        return torch.inf
    return largest


def _seen(answer: Answer, case: Case, loosely: bool) -> dict[str, Any]:
    """What there is to see in an answer, by name."""
    raises = case.asked is not None and case.asked.kind == "raises"
    if answer.failure is not None:
        if answer.failure.type == WRONG_PARAMETERS:
            return {"raised": answer.failure.type, "shapes": answer.value}
        return _raised(answer.failure, case.asked if raises else None, loosely)
    value = _without_chance(answer.value) if case.drawn else answer.value
    if raises:
        return {"raised": None} | ({"value": value} if isinstance(answer.value, Tensor) else {})
    if case.is_value:
        numeric = isinstance(value, Tensor) and value.is_floating_point()
        return {"value": value.double() if numeric else value}
    question, target = case.question, case.question.target
    if case.gives_state:
        return _parameters(answer.value, None if question.weights else case.constants)
    seen: dict[str, Any] = {}
    if case.asked is None:
        seen |= _flat("value", value) | _flat("read", answer.read)
        seen |= {"changed": answer.changed, "elsewhere": answer.elsewhere}
        seen |= {"watched": answer.watched, "mode": answer.mode_changed}
    else:
        names = case.asked.outputs
        if len(names) == 1:
            values = _flat(names[0], value) if names[0] in case.asked.look_at else {}
        elif type(answer.value) is tuple and len(answer.value) == len(names):
            pairs = zip(names, answer.value, strict=True)
            values = _all_flat((name, each) for name, each in pairs if name in case.asked.look_at)
        else:
            values = _flat("value", value)
        read = zip(question.how.read, answer.read, strict=False)
        seen |= values | _all_flat((name, x) for name, x in read if name in case.asked.look_at)
        seen |= {"elsewhere": answer.elsewhere, "watched": answer.watched}
        seen["earlier"] = EARLIER in answer.changed
        counted = too_much(case.asked, answer) or too_little(case.asked, answer)
        seen["too much work"] = answer.multiplications if counted else None
        if case.asked.same_mode:
            seen["mode"] = answer.mode_changed
    # What a module keeps asks for no gradient.
    kept = [answer.value] if _is_buffer(target) else answer.read
    seen["asks for gradients"] = [isinstance(x, Tensor) and x.requires_grad for x in kept]
    if question.how.cotangents is not None:
        seen |= {f"gradient {place}": each for place, each in enumerate(answer.gradients)}
    return seen


def _raised(failure: Failure, asked: Asked | None, loosely: bool) -> dict[str, Any]:
    """An exception: its type, and its words but for numbers, which sizes may change.

    The words of one that a line raises are its author's. Where one is asked for: whether its words
    name the numbers.
    """
    if asked is None:
        own = (failure.source or "").startswith(_RAISES)
        sizes = _SIZES.search(failure.words)
        words = "" if loosely else "its own" if own else "sizes" if sizes else failure.words
        return {"raised": failure.type, "message": words}
    if failure.type != asked.error:
        return {"raised": failure.type}
    lost = [str(each) for each in asked.naming if str(each) not in failure.message]
    return {"raised": failure.type, "unnamed": tuple(lost)}


def _is_buffer(target: Any) -> bool:
    return isinstance(target, Blueprint) and target.method == "get_buffer"


def _parameters(found: Any, constants: Collection[str] | None) -> dict[str, Any]:
    """Names and shapes; and values: of `constants`, where others start at random."""
    if not isinstance(found, Mapping) or not all(
        isinstance(each, Tensor) for each in found.values()
    ):
        return {"state_dict": type(found).__name__}
    return {
        f"parameter {name}": each if constants is None or name in constants else tuple(each.shape)
        for name, each in found.items()
    }


def _without_chance(value: Any) -> Any:
    """What would be the same with other weights: of different numbers no more than their kind."""
    if isinstance(value, (tuple, list)):
        kinds = map(_without_chance, value)
        return tuple(kinds) if isinstance(value, tuple) else list(kinds)
    if not isinstance(value, Tensor) or not value.is_floating_point() or is_one_number(value):
        return value
    return str([getattr(value, name) for name in _KIND])


def _all_flat(named: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    return {part: each for name, value in named for part, each in _flat(name, value).items()}


def _flat(name: str, value: Any) -> dict[str, Any]:
    if isinstance(value, (tuple, list)):
        parts = {f"{name}: kind": type(value).__name__}
        for place, each in enumerate(value):
            parts |= _flat(f"{name}[{place}]", each)
        return parts
    return {name: value}


def _apart(one: Any, other: Any, case: Case, loosely: bool, zeros: Any = None) -> float:
    """How far two parts are from each other.

    zeros: what is right, if where it is 0 only the same will do; elsewhere, rounding may make a 0.
    """
    if isinstance(one, float) and isinstance(other, float):
        one, other = (torch.tensor(each, dtype=torch.float64) for each in (one, other))
    if not (isinstance(one, Tensor) and isinstance(other, Tensor)):
        alike = type(one) is type(other) and bool(one == other)
        return 0.0 if alike else torch.inf
    if not _alike_in_kind(one, other):
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
    allowed = _allowed(one, case, loosely)
    largest = float(_row_distance(one.flatten(), other.flatten()))
    if not math.isnan(largest):
        return largest / allowed
    # The same infinities, and NaN where the other has it; or what further steps made of these.
    finite = one.isfinite()
    if not torch.equal(finite, other.isfinite()):
        return torch.inf
    kinds = (each[~finite].nan_to_num(0.0) for each in (one, other))
    if not loosely and not torch.equal(*kinds):
        return torch.inf
    one, other = one[finite], other[finite]
    return float(_row_distance(one, other)) / allowed if one.numel() else 0.0
