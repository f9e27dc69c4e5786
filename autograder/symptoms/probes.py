"""Properties of a submission's answers: what holds, and what does not, whatever is right.

Each looks at one case that the reference shows to be about its property, and compares the
submission with itself. What is odd in an answer proves nothing.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from autograder.sandbox.session import Answer
from autograder.student import Question
from autograder.symptoms import inquiry
from autograder.symptoms.inquiry import Answered, Inquiry, is_plain, outputs, without_gradients
from autograder.symptoms.slopes import belong

_ALLOWED = 1e-9  # that one and the same may differ, in float64
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


def probes(asked: Sequence[Answered], asking: Inquiry) -> Iterator[tuple[bool, str]]:
    """The properties of which something can be said. Raises Enough."""
    kept = [each for each in asked if is_plain(each.case) and _is_small(each.case.question)]
    kept.sort(key=lambda each: each.case.question.how.cotangents is not None)
    for each in PROPERTIES:
        told = each.told(kept, asking)
        if told is not None:
            yield told


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


def _sums(asked: Answered, _: Inquiry) -> bool | None:
    """The weights of each query, where those of the reference do, sum to 1."""
    case, found = asked.case, []
    names = [*(case.asked.outputs if case.asked else ()), *case.question.how.read]
    if not alike(seen(asked.got), seen(case.right)):
        return None
    for name, one, other in zip(names, seen(asked.got), seen(case.right), strict=True):
        if name == "weights" and isinstance(other, Tensor):
            one, other = one.detach().double(), other.detach().double()
            if not one.isfinite().all():
                return None
            whole = (other.sum(-1) - 1).abs() < 1e-6
            found.append(bool(((one.sum(-1)[whole] - 1).abs() < 1e-4).all()))
    return all(found) if found else None


# Of what the submission says when it is asked something else


def _stays(
    asked: Answered, move: "_Move", asking: Inquiry, batch: int | None = None, moves: bool = True
) -> bool | None:
    """Whether the submission's answer stays elsewhere, when one place of its inputs changes.

    None where the reference's does not; moves: or where it does not change at all.
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
    ours = zip(seen(asked.got), seen(got), strict=True)
    return all(_near(move.elsewhere(one), move.elsewhere(two)) for one, two in ours)


@dataclass(frozen=True)
class _Move:
    """Other numbers at one place of an axis: the axis before the last, of that length."""

    place: int
    length: int

    def made(self, question: Question, batch: int | None) -> Question | None:
        """The question with other numbers there, in one sentence or in all."""
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


def _near(one: Tensor, other: Tensor) -> bool:
    """Whether two are one but for rounding; NaN is NaN."""
    allowed = _ALLOWED if one.dtype == torch.float64 else 1e-4
    ours, theirs = one.detach().double(), other.detach().double()
    return torch.allclose(ours, theirs, rtol=allowed, atol=allowed, equal_nan=True)


def _alone(asked: Answered, asking: Inquiry) -> bool | None:
    """A sentence alone gives what it gives in the batch."""
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
        return tensor[:1].clone() if inside else tensor.clone()

    single = inquiry.changed(question, alone)
    right, whole = asking.right(single), seen(asked.case.right)
    if right is None or not _first_of(whole, seen(right)):
        return None
    if not alike(seen(asked.got), whole):
        return None
    got = asking.ask(single)
    if got.failure is not None:
        return False
    return _first_of(seen(asked.got), seen(got))


def _first_of(batch: Sequence[Any], alone: Sequence[Any]) -> bool:
    return len(batch) == len(alone) and all(
        isinstance(one, Tensor)
        and isinstance(other, Tensor)
        and one[:1].shape == other.shape
        and _near(one[:1], other)
        for one, other in zip(batch, alone, strict=True)
    )


def _blocked(asked: Answered, asking: Inquiry) -> bool | None:
    """A key that the mask blocks for every query changes nothing."""
    for mask in _masks(asked):
        keys = mask.shape[-1]
        free = mask.reshape(-1, keys).any(0)
        batch = None
        if free.all() and mask.dim() == 4 and mask.shape[0] > 1:
            batch, free = 0, mask[0].reshape(-1, keys).any(0)  # in one sentence will do
        if not free.all():
            move = _Move(int(free.int().argmin()), keys)
            found = _stays(asked, move, asking, batch, moves=False)
            if found is not None:
                return found
    return None


def _later(asked: Answered, asking: Inquiry) -> bool | None:
    """A position sees nothing of later ones, where a mask is a lower triangle."""
    for mask in _masks(asked):
        size = mask.shape[-1]
        if size > 2 and torch.equal(mask, torch.ones(size, size, dtype=torch.bool).tril()):
            return _stays(asked, _Move(size - 1, size), asking)
    return None


def _masks(asked: Answered) -> list[Tensor]:
    given = inquiry.tensors(asked.case.question)
    return [each for each in given if each.dtype == torch.bool and each.dim() > 1]


def _by_itself(asked: Answered, asking: Inquiry) -> bool | None:
    """Each position is treated by itself, where nothing but the positions is passed."""
    given = inquiry.tensors(without_gradients(asked.case.question))
    if len(given) != 1 or given[0].dim() != 3:
        return None
    return _stays(asked, _Move(0, given[0].shape[-2]), asking)


PROPERTIES = (
    Property(
        "The gradients are those of its own values.",
        "The gradients are not those of its own values: something is detached, or done outside "
        "of autograd.",
        belong,
    ),
    Property(
        "The weights of each query sum to 1.",
        "The weights of a query do not sum to 1.",
        _sums,
    ),
    Property(
        "What the mask blocks changes nothing.",
        "What the mask blocks still changes the result.",
        _blocked,
    ),
    Property(
        "With a causal mask no position sees a later one.",
        "With a causal mask a position still sees later ones.",
        _later,
    ),
    Property(
        "Each position is treated by itself.",
        "A position changes with what stands at another one.",
        _by_itself,
    ),
    Property(
        "A sentence alone gives what it gives in the batch.",
        "A sentence alone gives something else than in the batch.",
        _alone,
    ),
)
