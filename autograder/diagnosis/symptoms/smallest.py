"""The smallest example on which a submission is wrong, in numbers that can be worked out by hand.

An axis is made smaller by keeping some of its places in every tensor, as long as the reference
has an answer and the submission's is wrong in the same way; then the numbers are rounded as far
as that holds. What shows in late digits alone, or needs weights that are drawn, cannot be followed:
then larger and smaller numbers are tried, and else there is no example.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from autograder.asking import Question
from autograder.course import SmallestExample
from autograder.diagnosis.comparing import same
from autograder.diagnosis.evidence import Case
from autograder.diagnosis.symptoms import inquiry
from autograder.diagnosis.symptoms.axes import Axes, Kept, one_less
from autograder.diagnosis.symptoms.inquiry import (
    Enough,
    Inquiry,
    is_plain,
    passes_a_module,
)
from autograder.diagnosis.symptoms.plain_weights import identical, said_of
from autograder.diagnosis.symptoms.written import Problem, problem
from autograder.handout.checks import compare
from autograder.handout.checks.written import MOST, typed
from autograder.sandbox.modules import Blueprint

_LONGEST = 160  # characters of an example
_CASES = 3  # that are tried, the smallest first
_STEPS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48)  # sizes to begin with
_TRIES = 60  # at making one case smaller
_SIZES = (1.0, 0.1, 10.0, 1e-3, 1e3)  # by which numbers are multiplied until it shows
# Numbers are multiplied, then rounded to so many decimals.
_ROUNDINGS = ((1.0, 0), (2.0, 0), (1.0, 1), (1.0, 2), (1.0, 4))
_ULPS = 4.0  # by which the inputs of an example may move, and its answer stay


@dataclass(frozen=True)
class Example:
    """A question, what is right, and what is wrong with the submission's answer."""

    case: Case
    problem: Problem

    @property
    def question(self) -> Question:
        """What was asked."""
        return self.case.question


def smallest(cases: Iterable[Case], inquiry: Inquiry) -> SmallestExample | None:
    """The smallest example among these cases that a submission gets wrong, or None."""
    kept = [each for each in cases if is_plain(each) and not passes_a_module(each.question)]
    kept.sort(key=lambda each: _rank(each.question))
    for case in kept[:_CASES]:
        try:
            said = _Smaller(case, inquiry).said
        except Enough:
            return None
        if said is not None:
            return said
    return None


def _rank(question: Question) -> tuple[bool, bool, int]:
    """Values before gradients, axes that can be told apart before others, few before many."""
    floats = inquiry.floats(question)
    alike = any(len(set(each.shape)) < each.dim() for each in floats)
    return question.how.cotangents is not None, alike, _numbers(question)


def _numbers(question: Question) -> int:
    weights = sum(each.numel() for part in question.weights for each in part.values())
    return weights + sum(each.numel() for each in inquiry.tensors(question))


class _Smaller:
    """One case, made smaller."""

    def __init__(self, case: Case, asking: Inquiry) -> None:
        if case.asked is not None and case.question.how.cotangents is not None:
            # Gradients that are exactly 0 are so by their axes; a smaller one may do by rounding.
            case = replace(case, asked=replace(case.asked, exact_zeros=False))
        self._case = case
        self._asking = asking
        self._left = _TRIES
        self._kind: tuple[str, bool] | None = None  # that it stays: how it is wrong, how clearly
        self._identical = False  # weights that need no writing down
        self._weights = ""

    @property
    def said(self) -> SmallestExample | None:
        """The example, short enough for a line, if it can be had. Raises Enough."""
        start = self._begin()
        if start is None:
            return None
        found = self._readable(self._smallest(start))
        if found is None:
            return None
        if any(each.numel() > MOST for each in inquiry.tensors(found.question)):
            return None
        call = self._call(found)
        problems = found.problem.said, found.problem.short
        short = next((each for each in problems if len(f"{call}: {each}") <= _LONGEST), None)
        if short is None:
            return None
        told = found.problem.told(short)
        return SmallestExample(call=call, weights=self._weights, **told)

    def _begin(self) -> Example | None:
        """The case, with weights that need no writing down if it is wrong with them.

        None where it is wrong in a way that nobody can follow.
        """
        question = inquiry.changed(self._case.question, torch.Tensor.contiguous)
        target = question.target
        if isinstance(target, Blueprint) and target.weights:
            found = self._obvious(replace(question, target=identical(target)))
            if found is not None:
                self._identical = True
                self._weights = said_of(target.weights)
                return found
            self._weights = ", with weights that are drawn"
            self._kind = None
            found = self._try(question)
            return found if found is not None and not found.problem.in_numbers else None
        return self._obvious(question)

    def _obvious(self, question: Question) -> Example | None:
        """The question with numbers so large, or so small, that the first digits are wrong."""
        for size in _SIZES:
            self._kind = None
            found = self._try(_scaled(question, size))
            if found is not None and found.problem.obvious:
                return found
        return None

    def _try(self, question: Question | None) -> Example | None:
        """The question as an example, if the reference answers it and the submission is wrong."""
        if question is None:
            return None
        right = self._asking.right(question)
        if right is None:
            return None
        case = replace(self._case, question=question, right=right)
        got = self._asking.ask(question)
        if same(got, right, case):
            return None
        found = problem(case, got, self._asking.names_of(question))
        seen = None if found is None else (found.kind, found.obvious)
        if found is None or self._kind not in (None, seen, (found.kind, False)):
            return None
        self._kind = self._kind or seen
        return Example(case, found)

    # Axes

    def _smallest(self, start: Example) -> Example:
        """No axis of it can be made smaller, if there is time to find that out."""
        axes = Axes(start.question)
        sizes = axes.sizes
        kept: Kept = {each: tuple(range(each)) for each in sizes}
        best = start

        def take(choice: Kept) -> bool:
            nonlocal best, kept
            self._left -= 1
            found = self._try(self._loaded(axes.cut(choice), start.question))
            if found is not None:
                best, kept = found, choice
            return found is not None

        try:
            if not (sizes and take(dict.fromkeys(sizes, (0,)))):
                for size in sizes:
                    for few in (each for each in _STEPS if each < size):
                        if self._left <= 0 or take({**kept, size: tuple(range(few))}):
                            break
            smaller = True
            while smaller and self._left > 0:
                smaller = any(self._left > 0 and take(each) for each in one_less(kept))
        except Enough:
            pass  # what was found is an example all the same
        return best

    def _loaded(self, question: Question, before: Question) -> Question | None:
        """The question with weights of the sizes that its module has now."""
        target, old = question.target, before.target
        if not isinstance(target, Blueprint) or not isinstance(old, Blueprint):
            return question
        if (target.args, target.kwargs) == (old.args, old.kwargs or {}):
            return question
        drawn = self._asking.drawn(target)
        if drawn is None:
            return None
        return replace(question, target=identical(drawn) if self._identical else drawn)

    # Numbers

    def _readable(self, found: Example) -> Example | None:
        """The example with numbers that can be written down; None when there is none."""
        try:
            found = self._without_axes(self._simple_cotangents(found))
            for scale, digits in _ROUNDINGS:
                smaller = self._try(rounded(found.question, scale, digits))
                if smaller is not None and is_steady(smaller.case, self._asking):
                    return smaller
        except Enough:
            pass
        return None

    def _simple_cotangents(self, found: Example) -> Example:
        cotangents = found.question.how.cotangents
        if cotangents is None:
            return found
        ones = [each if each is None else torch.ones_like(each) for each in cotangents]
        how = replace(found.question.how, cotangents=tuple(ones))
        return self._try(replace(found.question, how=how)) or found

    def _without_axes(self, found: Example) -> Example:
        """Leading axes of size 1 left out, where the reference does without."""
        while True:
            axes = max((each.dim() for each in inquiry.tensors(found.question)), default=0)

            def leave_out(tensor: Tensor, axes: int = axes) -> Tensor:
                outer = tensor.dim() == axes and tensor.shape[0] == 1
                return tensor.squeeze(0) if outer else tensor

            largest = [each for each in inquiry.tensors(found.question) if each.dim() == axes]
            if axes < 2 or any(each.shape[0] != 1 for each in largest):
                return found
            shorter = self._try(inquiry.changed(found.question, leave_out))
            if shorter is None:
                return found
            found = shorter

    def _call(self, found: Example) -> str:
        question = found.question
        target = question.target
        called = target if isinstance(target, str) else _module(target)
        names = self._asking.names_of(question)
        prefixes = [*(f"{each}=" for each in names), *[""] * len(question.args)]
        passed = zip(prefixes, question.args, strict=False)
        said = [f"{prefix}{typed(each)}" for prefix, each in passed]
        said += [f"{name}={typed(each)}" for name, each in question.kwargs.items()]
        low = any(each.dtype == torch.float32 for each in inquiry.floats(question))
        return f"{called}({', '.join(said)})" + (" in float32" if low else "")


def _module(target: Blueprint) -> str:
    return compare.describe_module(
        target.name, target.args, target.kwargs, target.method, target.train
    )


def _scaled(question: Question, size: float) -> Question:
    def scaled(tensor: Tensor) -> Tensor:
        return tensor * size if tensor.is_floating_point() else tensor.clone()

    return inquiry.changed(question, scaled)


def rounded(question: Question, scale: float, digits: int) -> Question:
    """The question with its numbers multiplied, then rounded to so many decimals."""

    def change(tensor: Tensor) -> Tensor:
        if not tensor.is_floating_point():
            return tensor.clone()
        return (tensor * scale).round(decimals=digits) + 0.0  # no -0

    return inquiry.changed(question, change)


def is_steady(case: Case, asking: Inquiry) -> bool:
    """Whether rounding of the inputs leaves what is right as it is."""
    draw = torch.Generator().manual_seed(0)

    def moved(tensor: Tensor) -> Tensor:
        if not tensor.is_floating_point():
            return tensor
        signs = torch.rand(tensor.shape, generator=draw).round().mul(2).sub(1)
        return tensor * (1 + _ULPS * torch.finfo(tensor.dtype).eps * signs).to(tensor.dtype)

    right = asking.right(inquiry.changed(case.question, moved))
    return right is not None and same(right, case.right, case)
