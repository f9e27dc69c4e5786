"""Numbers and answers in a line, for whoever works them out by hand."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import shorten
from typing import Any

import torch
from torch import Tensor

from autograder.asking import Question
from autograder.diagnosis.evidence import Case
from autograder.handout.checks import compare
from autograder.handout.checks.written import DIGITS, MOST, typed, written
from autograder.sandbox.modules import Blueprint
from autograder.sandbox.session import Answer

_MESSAGE = 70  # characters of an exception's


@dataclass(frozen=True)
class Numbers:
    """Numbers that are wrong: of what, those expected and those that came, in their order."""

    of: str
    shape: tuple[int, ...]
    expected: tuple[str, ...]
    got: tuple[str, ...]


@dataclass(frozen=True)
class Problem:
    """In what way an answer is wrong: `kind`, for whoever compares two; `said`, in words."""

    kind: str
    said: str
    short: str  # of the first number that is wrong alone
    obvious: bool = True  # it is seen in the first digits
    all: Numbers | None = None  # that are told of in `said`
    first: Numbers | None = None  # that is told of in `short`

    def told(self, said: str) -> dict[str, Any]:
        """One of its sentences, and the numbers that it tells of."""
        numbers = self.all if said == self.said else self.first
        return {"problem": said, **(vars(numbers) if numbers else {})}

    @property
    def in_numbers(self) -> bool:
        """Whether other numbers would be right."""
        return self.kind in ("value", "gradient")


def problem(case: Case, got: Answer, names: Sequence[str]) -> Problem | None:
    """What is wrong with an answer; None where there is nothing to show.

    names: of what is passed by position.
    """
    if got.failure is not None:
        if got.failure.type == "WrongParameters":
            return None
        message = shorten(got.failure.message, _MESSAGE, placeholder=" ...")
        kind = f"raised {' '.join(got.failure.type.split())}"
        said = f"{kind}: {message}" if message else kind
        return Problem(kind, said, said)
    asked = case.asked
    outputs, look_at = (asked.outputs, asked.look_at) if asked else ((), ())
    if len(outputs) != 1 and not (isinstance(got.value, tuple) and len(got.value) == len(outputs)):
        form = compare.compare_outputs(
            *(got.value, case.right.value, case.tolerance),
            names=list(outputs),
            look_at=list(look_at),
        )
        return Problem("form", form, form) if form else None
    exactly = asked is not None and asked.exact_zeros
    for name, one, other in _pairs(case, got, names):
        is_gradient = name.startswith("gradient")
        if is_gradient and one is None and other is not None:
            said, short = f"{name}: expected {written(other)}, got none", f"{name}: got none"
            return Problem("none", said if other.numel() <= MOST else short, short)
        wrong = compare.compare(one, other, case.tolerance, name, exact_zeros=exactly)
        if wrong is None:
            continue
        alike = isinstance(one, Tensor) and isinstance(other, Tensor) and one.shape == other.shape
        if not alike or one.dtype != other.dtype:
            return Problem("form", wrong, wrong)
        return _values("gradient" if is_gradient else "value", name, one.detach(), other.detach())
    return None


def _values(kind: str, name: str, one: Tensor, other: Tensor) -> Problem:
    # Where it shows most: of all that is wrong, the largest difference.
    apart = (one.double() - other.double()).abs() / other.double().abs().clamp(min=1)
    worst = apart.nan_to_num(nan=torch.inf).argmax()
    where = tuple(int(each) for each in torch.unravel_index(worst, apart.shape))
    for digits in DIGITS:
        numbers = written(other[where], digits), written(one[where], digits)
        if numbers[0] != numbers[1]:
            break
    place = f"{name} at {list(where)}" if where else name
    said = short = f"{place}: expected {numbers[0]}, got {numbers[1]}"
    every = first = _numbers(place, other[where], one[where], digits)
    if one.numel() <= MOST:
        said = f"{name}: expected {written(other, digits)}, got {written(one, digits)}"
        every = _numbers(name, other, one, digits)
    return Problem(kind, said, short, digits == DIGITS[0], every, first)


def _numbers(of: str, expected: Tensor, got: Tensor, digits: int) -> Numbers:
    texts = (tuple(written(x, digits) for x in each.flatten()) for each in (expected, got))
    return Numbers(of, tuple(expected.shape), *texts)


def _pairs(case: Case, got: Answer, names: Sequence[str]) -> Iterator[tuple[str, Any, Any]]:
    """What a check compares, in its order: the name, the submission's, and what is right."""
    asked, question, right = case.asked, case.question, case.right
    if asked is None:
        return
    single = len(asked.outputs) == 1
    ours, theirs = ((got.value,), (right.value,)) if single else (got.value, right.value)
    for name, *each in zip(asked.outputs, ours, theirs, strict=True):
        if name in asked.look_at:
            yield name, each[0], each[1]
    for name, *each in zip(question.how.read, got.read, right.read, strict=False):
        if name in asked.look_at:
            yield f"self.{name}", each[0], each[1]
    if question.how.cotangents is not None:
        of = _differentiated(question, asked.outputs)
        wanted = gradients_of(question, names)
        for name, *each in zip(wanted, got.gradients, right.gradients, strict=False):
            yield f"gradient of {of} by {name}", each[0], each[1]


def gradients_of(question: Question, names: Sequence[str]) -> list[str]:
    """What the gradients in an answer are of, in their order."""
    named = [*names, *(f"input {at}" for at in range(len(names), len(question.args)))]
    passed = [*zip(named, question.args, strict=False), *question.kwargs.items()]
    wanted = [name for name, each in passed if isinstance(each, Tensor) and each.requires_grad]
    weights = question.target.weights if isinstance(question.target, Blueprint) else None
    return wanted + list(weights or ())


def _differentiated(question: Question, outputs: Sequence[str]) -> str:
    parts = []
    for name, each in zip(outputs, question.how.cotangents or (), strict=False):
        if isinstance(each, Tensor):
            times = "" if torch.equal(each, torch.ones_like(each)) else f" * {typed(each)}"
            parts.append(f"sum({name.removeprefix('the ')}{times})")
    return " + ".join(parts)
