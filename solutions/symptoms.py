"""What is told of a mistake that no fault explains, in the words of this course.

A property holds of a wrong answer or does not; a feature is what questions that are answered wrong
may have in common. Each is tried on the submission's own answers before it is told.
"""

from dataclasses import replace

import torch
from torch import Tensor

from autograder.checking import Question
from autograder.diagnosis.symptoms import (
    ALONE,
    BY_ITSELF,
    GRADIENTS,
    Answered,
    Feature,
    Inquiry,
    Move,
    Property,
    alike,
    inquiry,
    seen,
    stays,
)
from autograder.diagnosis.symptoms import FEATURES as COMMON


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


def _blocked(asked: Answered, asking: Inquiry) -> bool | None:
    """A key that the mask blocks for every query changes nothing."""
    for mask in _wide(asked.case.question):
        keys = mask.shape[-1]
        free = mask.reshape(-1, keys).any(0)
        batch = None
        if free.all() and mask.dim() == 4 and mask.shape[0] > 1:
            batch, free = 0, mask[0].reshape(-1, keys).any(0)  # in one sentence will do
        if not free.all():
            move = Move(int(free.int().argmin()), keys)
            found = stays(asked, move, asking, batch, moves=False)
            if found is not None:
                return found
    return None


def _later(asked: Answered, asking: Inquiry) -> bool | None:
    """A position sees nothing of later ones, where a mask is a lower triangle."""
    for mask in _wide(asked.case.question):
        size = mask.shape[-1]
        if size > 2 and torch.equal(mask, torch.ones(size, size, dtype=torch.bool).tril()):
            return stays(asked, Move(size - 1, size), asking)
    return None


def _wide(question: Question) -> list[Tensor]:
    return [each for each in _masks(question) if each.dim() > 1]


def _masks(question: Question) -> list[Tensor]:
    return [each for each in inquiry.tensors(question) if each.dtype == torch.bool]


def _has_mask(question: Question) -> bool:
    return bool(_masks(question))


def _blocks(question: Question) -> bool | None:
    masks = _masks(question)
    return any(not bool(each.all()) for each in masks) if masks else None


def _blocks_a_row(question: Question) -> bool | None:
    rows = _wide(question)
    return any(not bool(each.any(-1).all()) for each in rows) if _masks(question) else None


PROPERTIES = (
    GRADIENTS,
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
    BY_ITSELF,
    replace(
        ALONE,
        holds="A sentence alone gives what it gives in the batch.",
        fails="A sentence alone gives something else than in the batch.",
    ),
)
FEATURES = (
    Feature("a mask is passed", "no mask is passed", _has_mask, True),
    Feature("the mask blocks something", "the mask blocks nothing", _blocks, True),
    Feature(
        "the mask blocks every key of some query",
        "the mask leaves every query a key",
        _blocks_a_row,
    ),
    *COMMON,
)
