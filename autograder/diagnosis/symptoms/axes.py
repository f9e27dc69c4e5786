"""The axes of a question: which ones there are, and the question with less of them.

Sizes in the checks are pairwise distinct: axes of one size, and whole numbers of that size that
are passed, are one axis of the story.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from autograder.asking import Question
from autograder.diagnosis.symptoms import inquiry
from autograder.sandbox.modules import Blueprint

Kept = Mapping[int, tuple[int, ...]]  # of the axes of a size, the places that are kept
FEW = 8  # an axis of so many can lose any of its places, a longer one its last
Tied = tuple[int, int, int]  # a product and its factors


class Axes:
    """The axes of one question."""

    def __init__(self, question: Question) -> None:
        self._question = question
        self._content = _content(question)
        self._tied = _tied(question)
        found = {size for each in inquiry.tensors(question) for size in each.shape}
        found |= set(_whole(question)) - self._content
        free = {each for each in found if each > 1} - {self._tied[0] if self._tied else 0}
        self.sizes = sorted(free, reverse=True)

    def cut(self, kept: Kept) -> Question:
        """The question with these places of its axes. A module keeps the weights that it had."""
        if self._tied:
            product, one, other = self._tied
            kept = {**kept, product: tuple(range(len(kept[one]) * len(kept[other])))}

        def cut(tensor: Tensor) -> Tensor:
            for axis, size in enumerate(tensor.shape):
                if size in kept:
                    tensor = tensor.index_select(axis, torch.tensor(kept[size]))
            return tensor.contiguous()

        def number(value: Any) -> Any:
            is_size = type(value) is int and value in kept and value not in self._content
            return len(kept[value]) if is_size else value

        shorter = inquiry.changed(self._question, cut)
        args = tuple(map(number, shorter.args))
        kwargs = {name: number(each) for name, each in shorter.kwargs.items()}
        target = shorter.target
        if isinstance(target, Blueprint):
            made = tuple(map(number, target.args))
            named = {name: number(each) for name, each in (target.kwargs or {}).items()}
            target = replace(target, args=made, kwargs=named)
        return replace(shorter, target=target, args=args, kwargs=kwargs)


def one_less(kept: Kept) -> Iterator[dict[int, tuple[int, ...]]]:
    """Every choice with one place less; of long axes, the last one."""
    for size, places in kept.items():
        if len(places) > 1:
            for place in places[::-1] if len(places) <= FEW else places[-1:]:
                yield {**kept, size: tuple(each for each in places if each != place)}


def _whole(question: Question) -> list[int]:
    """The whole numbers that are passed, to the call and to the constructor."""
    given = [*question.args, *question.kwargs.values()]
    if isinstance(question.target, Blueprint):
        given += [*question.target.args, *(question.target.kwargs or {}).values()]
    return [each for each in given if type(each) is int]


def _content(question: Question) -> set[int]:
    """The whole numbers in a question's tensors: a number that is one of them is no size."""
    whole = [each for each in inquiry.tensors(question) if each.dtype == torch.int64]
    return {int(each) for tensor in whole for each in tensor.flatten()}


def _tied(question: Question) -> Tied | None:
    """A size that no tensor has, and the two whose product it is."""
    axes = {size for each in inquiry.tensors(question) for size in each.shape}
    whole = [each for each in _whole(question) if each > 1]
    for product in whole:
        for one in whole:
            other = product // one
            if product not in axes and one * other == product and one != product and other in axes:
                return product, one, other
    return None
