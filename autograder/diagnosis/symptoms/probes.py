"""Properties of a submission's answers: what holds, and what does not, whatever is right.

Each looks at one case that the reference shows to be about its property, and compares the
submission with itself. What is odd in an answer proves nothing.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from autograder.asking import Question
from autograder.diagnosis.symptoms import inquiry
from autograder.diagnosis.symptoms.inquiry import (
    Answered,
    Inquiry,
    is_plain,
    outputs,
    without_gradients,
)
from autograder.diagnosis.symptoms.slopes import belong
from autograder.sandbox.modules import Blueprint
from autograder.sandbox.session import Answer

# What differs by less is one and the same, what differs by more is not: of what lies between, as
# numbers do that are made in float32, nothing is said.
_SAME, _OTHER = 1e-9, 1e-5
_SAME_FLOAT32, _OTHER_FLOAT32 = 1e-4, 1e-2
_LARGEST = 20_000  # numbers in the inputs of a question that is asked here
_CASES = 2  # that a property is looked at in
_CONSULTED = 5  # times that the reference is, to find them
# What looking at a hostile answer may raise.
_ODD = (RuntimeError, TypeError, ValueError, LookupError, AttributeError, OverflowError)


@dataclass(frozen=True)
class Property:
    """A property in words: when it holds, and when it does not."""

    holds: str
    fails: str
    of: Callable[[Answered, Inquiry], bool | None]

    def told(self, asked: Sequence[Answered], asking: Inquiry) -> tuple[bool, str] | None:
        """Whether it holds, in words; None when nothing can be said. Raises Enough."""
        found: list[bool] = []
        asking.consulted = 0
        for each in asked:
            try:
                one = self.of(each, asking)
            except _ODD:
                one = None
            if one is not None:
                found.append(one)
            if len(found) == _CASES or False in found or asking.consulted > _CONSULTED:
                break
        return (all(found), self.holds if all(found) else self.fails) if found else None


def probes(
    asked: Sequence[Answered], asking: Inquiry, properties: Sequence[Property]
) -> Iterator[tuple[bool, str]]:
    """What can be said of these properties. Raises Enough."""
    # In train mode dropout may leave nothing of what positions, or sentences, say to each other.
    kept = [each for each in asked if is_plain(each.case) and not _trains(each.case.question)]
    kept = [each for each in kept if _is_small(each.case.question)]
    kept.sort(key=lambda each: each.case.question.how.cotangents is not None)
    for each in properties:
        told = each.told(kept, asking)
        if told is not None:
            yield told


def _trains(question: Question) -> bool:
    return isinstance(question.target, Blueprint) and question.target.train


def _is_small(question: Question) -> bool:
    return sum(each.numel() for each in inquiry.tensors(question)) <= _LARGEST


# Of the answers themselves


def alike(ours: Sequence[Any], theirs: Sequence[Any]) -> bool:
    """Whether all that was returned has the shapes and dtypes that it should have."""
    return len(ours) == len(theirs) and all(
        not isinstance(other, Tensor)
        or (isinstance(one, Tensor) and one.shape == other.shape and one.dtype == other.dtype)
        for one, other in zip(ours, theirs, strict=True)
    )


def seen(answer: Answer) -> tuple[Any, ...]:
    """What was returned, one by one, and then what was read."""
    return *outputs(answer.value), *answer.read


# Of what the submission says when it is asked something else


def stays(
    asked: Answered, move: "Move", asking: Inquiry, batch: int | None = None, moves: bool = True
) -> bool | None:
    """Whether the submission's answer stays elsewhere, when one place of its inputs changes.

    None where the reference's does not, or where it has no numbers: of NaN nobody can see it.
    moves: or where it does not change at all.
    """
    question = without_gradients(asked.case.question)
    other = move.made(question, batch)
    if other is None or move.length < 2:
        return None
    right, moved = asked.case.right, asking.right(other)
    if moved is None or not alike(seen(asked.got), seen(right)):
        return None
    pairs = list(zip(seen(right), seen(moved), strict=True))
    if not all(torch.equal(move.elsewhere(one), move.elsewhere(two)) for one, two in pairs):
        return None
    if moves and all(torch.equal(one, two) for one, two in pairs):
        return None
    got = asking.ask(other)
    if got.failure is not None or not alike(seen(got), seen(moved)):
        return None
    ours = [
        (move.elsewhere(one), move.elsewhere(two))
        for one, two in zip(seen(asked.got), seen(got), strict=True)
    ]
    if not all(bool(each.isfinite().all()) for pair in ours for each in pair):
        return None
    return _all([_near(one, two) for one, two in ours])


@dataclass(frozen=True)
class Move:
    """Other numbers at one place of an axis: the axis before the last, of that length."""

    place: int
    length: int

    def made(self, question: Question, batch: int | None) -> Question | None:
        """The question with other numbers there, in one place of the batch or in all."""
        moves = []

        def move(tensor: Tensor) -> Tensor:
            tensor = tensor.clone()
            fits = tensor.is_floating_point() and tensor.dim() > (1 if batch is None else 2)
            if fits and tensor.shape[-2] == self.length:
                at = (..., self.place, slice(None))
                where = tensor[at if batch is None else (batch, *at)]
                steps = torch.arange(1, where.shape[-1] + 1, dtype=tensor.dtype)
                where += 0.5 * steps * (-1) ** steps
                moves.append(tensor)
            return tensor

        other = inquiry.changed(question, move)
        return other if moves else None

    def elsewhere(self, tensor: Tensor) -> Tensor:
        """What an answer says of the other places."""
        kept = torch.tensor([each for each in range(self.length) if each != self.place])
        for axis, size in enumerate(tensor.shape):
            if size == self.length:
                tensor = tensor.index_select(axis, kept)
        return tensor.detach()


def _near(one: Tensor, other: Tensor) -> bool | None:
    """Whether two are one but for rounding; NaN is NaN. None: who knows?"""
    double = one.dtype == torch.float64
    ours, theirs = one.detach().double(), other.detach().double()

    def close(allowed: float) -> bool:
        return torch.allclose(ours, theirs, rtol=allowed, atol=allowed, equal_nan=True)

    if close(_SAME if double else _SAME_FLOAT32):
        return True
    return None if close(_OTHER if double else _OTHER_FLOAT32) else False


def _all(found: Sequence[bool | None]) -> bool | None:
    return False if False in found else None if None in found else True


def _alone(asked: Answered, asking: Inquiry) -> bool | None:
    """The last of a batch alone gives what it gives there: the first may be taken for all."""
    question = without_gradients(asked.case.question)
    first = next(iter(inquiry.tensors(question)), None)
    if first is None or first.dim() < (3 if first.is_floating_point() else 2):
        return None
    batch = first.shape[0]
    elsewhere = [size for each in inquiry.tensors(question) for size in each.shape[1:]]
    if batch < 2 or batch in elsewhere:
        return None

    def alone(tensor: Tensor) -> Tensor:
        inside = tensor.dim() > 1 and tensor.shape[0] == batch
        return tensor[-1:].clone() if inside else tensor.clone()

    single = inquiry.changed(question, alone)
    right, whole = asking.right(single), seen(asked.case.right)
    if right is None or _last_of(whole, seen(right)) is not True:
        return None
    if not alike(seen(asked.got), whole):
        return None
    got = asking.ask(single)
    if got.failure is not None:  # which is nothing that it gives
        return None
    return _last_of(seen(asked.got), seen(got))


def _last_of(batch: Sequence[Any], alone: Sequence[Any]) -> bool | None:
    if len(batch) != len(alone):
        return False
    return _all([_is_last(one, other) for one, other in zip(batch, alone, strict=True)])


def _is_last(one: Any, other: Any) -> bool | None:
    if not isinstance(one, Tensor) or not isinstance(other, Tensor):
        return False
    return one[-1:].shape == other.shape and _near(one[-1:], other)


def _by_itself(asked: Answered, asking: Inquiry) -> bool | None:
    """Each position is treated by itself, where nothing but the positions is passed."""
    given = inquiry.tensors(without_gradients(asked.case.question))
    if len(given) != 1 or given[0].dim() != 3:
        return None
    return stays(asked, Move(0, given[0].shape[-2]), asking)


GRADIENTS = Property(
    "The gradients are those of its own values.",
    "The gradients are not those of its own values: something is detached, or done outside "
    "of autograd.",
    belong,
)
BY_ITSELF = Property(
    "Each position is treated by itself.",
    "A position changes with what stands at another one.",
    _by_itself,
)
ALONE = Property(
    "The last of a batch alone gives what it gives in the batch.",
    "The last of a batch alone gives something else than in the batch.",
    _alone,
)
PROPERTIES = GRADIENTS, BY_ITSELF, ALONE
