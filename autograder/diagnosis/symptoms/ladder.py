"""Small versions of a question, to be written down before there is a submission to ask."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from autograder.asking import Question
from autograder.diagnosis.evidence import Case
from autograder.diagnosis.symptoms import inquiry
from autograder.diagnosis.symptoms.axes import Axes, Kept
from autograder.diagnosis.symptoms.inquiry import Inquiry, is_plain, passes_a_module
from autograder.diagnosis.symptoms.plain_weights import identical, said_of
from autograder.diagnosis.symptoms.smallest import is_steady, rounded
from autograder.sandbox.modules import Blueprint
from autograder.sandbox.session import Answer

_MOST = 40  # numbers of a question that is still to be worked out by hand
_SCALED = (2.0, 0), (1.0, 1)  # by what numbers are multiplied, and the decimals that they keep


@dataclass(frozen=True)
class Rung:
    """A small question, what is right, and what its weights are, in words."""

    question: Question
    right: Answer
    weights: str


def ladder(case: Case, asking: Inquiry) -> list[Rung]:
    """Small versions of a case, the smallest first; none where its numbers cannot be followed."""
    if not is_plain(case) or passes_a_module(case.question) or case.in_float32:
        return []
    start = _plain(inquiry.changed(case.question, Tensor.contiguous))
    sizes = Axes(start).sizes
    return _found(case, start, _choices(sizes), asking) or _found(
        case, start, _with_one_whole(sizes), asking
    )


def _found(case: Case, start: Question, choices: Iterator[Kept], asking: Inquiry) -> list[Rung]:
    found = []
    for kept in choices:
        small = _loaded(Axes(start).cut(kept), asking)
        if small is None:
            continue
        for scale, digits in _SCALED:
            question = rounded(small, scale, digits)
            right = asking.right(question)
            if right is None or not _tells(right):
                continue
            if is_steady(replace(case, question=question, right=right), asking):
                found.append(Rung(question, right, _said(question)))
                break
    found = [each for each in found if _numbers(each.question) <= _MOST]
    found.sort(key=lambda each: _numbers(each.question))
    return [
        each
        for at, each in enumerate(found)
        if not any(each.question.is_same(other.question) for other in found[:at])
    ]


def _plain(question: Question) -> Question:
    """With weights and cotangents that need no writing down."""
    target, cotangents = question.target, question.how.cotangents
    if isinstance(target, Blueprint) and target.weights:
        question = replace(question, target=identical(target))
    if cotangents is not None:
        ones = tuple(each if each is None else torch.ones_like(each) for each in cotangents)
        question = replace(question, how=replace(question.how, cotangents=ones))
    return question


def _choices(sizes: list[int]) -> Iterator[Kept]:
    """One place of every axis; two of one, and one of all others; two, and three, of every one."""
    ones: Kept = {each: (0,) for each in sizes}
    yield ones
    for size in sizes:
        yield {**ones, size: (0, 1)}
    for few in (2, 3):
        yield {each: tuple(range(min(few, each))) for each in sizes}


def _with_one_whole(sizes: list[int]) -> Iterator[Kept]:
    """One place of every axis but one: ids, say, must stay below its size."""
    for size in sizes:
        yield {**{each: (0,) for each in sizes}, size: tuple(range(size))}


def _loaded(question: Question, asking: Inquiry) -> Question | None:
    target = question.target
    if not isinstance(target, Blueprint):
        return question
    drawn = asking.drawn(replace(target, weights=None))
    return None if drawn is None else replace(question, target=identical(drawn))


def _said(question: Question) -> str:
    target = question.target
    return said_of(target.weights) if isinstance(target, Blueprint) and target.weights else ""


def _tells(right: Answer) -> bool:
    """Whether anything in it is not 0."""
    parts = [*inquiry.outputs(right.value), *right.gradients]
    return any(isinstance(each, Tensor) and bool(each.any()) for each in parts)


def _numbers(question: Question) -> int:
    return sum(each.numel() for each in inquiry.tensors(question))
