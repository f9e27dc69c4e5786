"""What a submission's answers show: the questions of the checks, and how two answers compare.

A check stops at the first answer that is wrong; here all of them are looked at, and only at what
the check looks at: whatever it leaves open may differ.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from autograder.asking import Question, Student, StudentError
from autograder.checking import Asked
from autograder.course import Verdict
from autograder.handout.checks.compare import FLOAT32
from autograder.sandbox.failure import Failure
from autograder.sandbox.modules import Blueprint
from autograder.sandbox.session import Answer

# A fault is told only where it is that many times what is allowed away from what is right.
FACTOR = 100.0
_LOOSELY = 1e-6  # what a few numbers made in float32 may move the others
_NUMBER = re.compile(r"\d+")
WRONG_PARAMETERS = "WrongParameters"
_FACTOR_BY_HAND = 10.0  # of numbers with two decimals: more there cannot be
_KIND = "shape", "dtype", "device", "layout"  # in which two tensors must not differ at all


@dataclass(frozen=True, eq=False)
class Case:
    """One question of one item, and what is right.

    asked: how the check compares the answer; None where it looks at a property of the answer.
    drawn: numbers may come of weights that start at random, and prove nothing then.
    """

    item: str
    question: Question
    right: Answer
    tolerance: float
    asked: Asked | None = None
    at: int = -1  # its place among the questions that are foreseen; -1: a value is no question
    seconds: float = 0.0  # that the reference took
    drawn: bool = False

    @property
    def is_value(self) -> bool:
        """Whether a name's value is looked at, and nothing is called."""
        return self.asked is not None and self.asked.kind == "value"

    @cached_property
    def size(self) -> int:
        """The bytes of the question: how long it takes, about, and the same in every run."""
        return len(self.question.frame) + sum(map(len, self.question.weight_frames))

    @cached_property
    def in_float32(self) -> bool:
        """Whether numbers are passed in float32."""
        parts = (self.question.target, *self.question.args, *self.question.kwargs.values())
        return any(getattr(each, "dtype", None) == torch.float32 for each in parts)

    @cached_property
    def constants(self) -> frozenset[str]:
        """The parameters, of those that the reference answered with, that start as one number."""
        found = self.right.value if isinstance(self.right.value, Mapping) else {}
        return frozenset(name for name, each in found.items() if _is_one_number(each))

    @property
    def is_parameters(self) -> bool:
        """Whether it is about the names and shapes of a module's parameters."""
        return self.asked is not None and self.asked.kind == "parameters"

    @property
    def counts_calls(self) -> bool:
        """Whether it is about how torch is called, which no answer is right or wrong in."""
        return self.question.how.count


def cases_of(
    item: str,
    tolerance: float,
    asked: Iterable[Asked],
    answers: Sequence[tuple[Question, Answer]],
    seconds: Sequence[float],
    start: int,
    reference: Callable[[Question], Answer],
) -> Iterator[Case]:
    """The cases of an item, from what its checks asked of the reference and what it answered.

    seconds: that each answer took; start: how many questions were asked before; reference:
    answers any other.
    """
    known = list(asked)
    for each in known:
        if each.kind == "value":
            yield Case(item, each.question, each.answer, tolerance, each)
    timed = zip(answers, seconds, strict=True)
    for at, ((question, answer), took) in enumerate(timed, start):
        how = next(
            (each for each in known if each.kind != "value" and each.question.is_same(question)),
            None,
        )
        # Where a check compares numbers, it knows that they do not hang on the weights.
        compared = how is not None and how.kind == "call"
        drawn = not compared and _starts_at_random(question.target, reference)
        yield Case(item, question, answer, tolerance, how, at, took, drawn)


def _starts_at_random(target: str | Blueprint, reference: Callable[[Question], Answer]) -> bool:
    if isinstance(target, str) or target.weights is not None:
        return False
    made = reference(Question(target.of("state_dict"))).value
    return isinstance(made, Mapping) and not all(map(_is_one_number, made.values()))


def told_by(answer: Callable[[], Answer]) -> Answer:
    """A submission's answer; what kept it from answering is told as the answer's failure."""
    try:
        return answer()
    except StudentError as error:
        return Answer(error.shapes, failure=failure_of(error))


def failure_of(error: StudentError) -> Failure:
    """What was raised, or what else kept a submission from answering."""
    kind = WRONG_PARAMETERS if error.verdict is Verdict.WRONG else str(error.verdict)
    return error.failure or Failure(kind, "")


def ask(student: Student, case: Case) -> Answer:
    """A submission's answer to a case."""
    if case.is_value:
        return told_by(lambda: Answer(student.get(case.question.name)))
    return told_by(lambda: student.call(*case.question.call, **case.question.options))


def shapes(answer: Answer) -> set[tuple[str, tuple[int, ...]]]:
    """The names and shapes of the parameters in an answer."""
    found = answer.value if isinstance(answer.value, Mapping) else {}
    return {(name, tuple(each.shape)) for name, each in found.items() if isinstance(each, Tensor)}


def same(one: Answer, other: Answer, case: Case, loosely: bool = False) -> bool:
    """Whether two answers are one within what is allowed, in all that the check looks at.

    loosely: to the digits of float32, a tiny number for 0, an exception in other words.
    """
    return _distance(one, other, case, loosely) <= 1


def apart(fault: Answer, case: Case, loosely: bool = False) -> bool:
    """Whether an answer is so far from what is right that no rounding makes it so.

    loosely: nor the rounding of float32; and an exception does not count.
    """
    if loosely and fault.failure is not None:
        return False
    factor = _FACTOR_BY_HAND if case.is_value else FACTOR
    return _distance(fault, case.right, case, loosely) >= factor


def _distance(one: Answer, other: Answer, case: Case, loosely: bool = False) -> float:
    """The largest difference in units of what is allowed; infinite where they differ in kind."""
    ours, theirs = (_seen(each, case, loosely) for each in (one, other))
    if ours.keys() != theirs.keys():
        return torch.inf
    largest = 0.0
    for name in ours:
        largest = max(largest, _apart(ours[name], theirs[name], case, loosely))
        if largest == torch.inf:
            break
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
    if isinstance(target, Blueprint) and target.method == "state_dict":
        loaded = target.weights is not None
        return _parameters(answer.value, None if loaded else case.constants)
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
            values = {name: each for name, each in pairs if name in case.asked.look_at}
        else:
            values = _flat("value", value)
        read = zip(question.how.read, answer.read, strict=False)
        seen |= values | {name: each for name, each in read if name in case.asked.look_at}
        seen |= {"elsewhere": answer.elsewhere, "watched": answer.watched}
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

    Where one is asked for: whether its words name the numbers.
    """
    if asked is None:
        words = "" if loosely else _NUMBER.sub("#", failure.message)
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


def _is_one_number(value: Any) -> bool:
    if not isinstance(value, Tensor):
        return False
    numbers = value.flatten()  # an empty tensor is broadcast against nothing
    return bool((numbers == numbers[:1]).all())


def _without_chance(value: Any) -> Any:
    """What would be the same with other weights: of different numbers no more than their kind."""
    if not isinstance(value, Tensor) or not value.is_floating_point() or _is_one_number(value):
        return value
    return str([getattr(value, name) for name in _KIND])


def _flat(name: str, value: Any) -> dict[str, Any]:
    if isinstance(value, (tuple, list)):
        parts = {f"{name}: kind": type(value).__name__}
        for place, each in enumerate(value):
            parts |= _flat(f"{name}[{place}]", each)
        return parts
    return {name: value}


def _apart(one: Any, other: Any, case: Case, loosely: bool) -> float:
    if isinstance(one, float) and isinstance(other, float):
        one, other = (torch.tensor(each, dtype=torch.float64) for each in (one, other))
    if not (isinstance(one, Tensor) and isinstance(other, Tensor)):
        alike = type(one) is type(other) and bool(one == other)
        return 0.0 if alike else torch.inf
    if any(getattr(one, name) != getattr(other, name) for name in _KIND):
        return torch.inf
    if one.device.type == "meta" or not one.numel():
        return 0.0
    one, other = one.detach().to_dense(), other.detach().to_dense()
    if not one.is_floating_point():
        return 0.0 if torch.equal(one, other) else torch.inf
    finite = one.isfinite()
    if not torch.equal(finite, other.isfinite()):
        return torch.inf
    if not finite.all():  # the same infinities, and NaN where the other has it
        if not torch.equal(one[~finite].nan_to_num(0.0), other[~finite].nan_to_num(0.0)):
            return torch.inf
        one, other = one[finite], other[finite]
        if not one.numel():
            return 0.0
    exactly = case.asked is not None and case.asked.exact_zeros and not loosely
    if exactly and not torch.equal(one == 0, other == 0):
        return torch.inf
    double = one.dtype == torch.float64 and not case.in_float32
    tolerance = max(case.tolerance, _LOOSELY) if loosely else case.tolerance
    allowed = tolerance if double else max(tolerance, FLOAT32)
    size = torch.maximum(one.abs(), other.abs()).clamp(min=1)
    return float(((one - other).abs() / size).max()) / allowed
