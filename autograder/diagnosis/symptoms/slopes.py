"""Whether gradients belong to the values: central differences of a submission's own answers.

Differences prove something only where the values are fine enough for them: what is rounded inside,
as in float32, has slopes that hang on the step, and nothing is said of it.
"""

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from autograder.asking import Question
from autograder.diagnosis.symptoms.inquiry import Answered, Inquiry, outputs, without_gradients
from autograder.sandbox.session import Answer

_STEPS = (1e-5, 1e-5 / 8)  # beside a kink one of them may differ
_FAR = 1e-2  # where rounding that is coarser than the steps shows
_AGREES = 1e-5  # two slopes, relative to values above 1
_ROUGHLY = 0.1  # the slope of the far step, which bends
_DIRECTIONS = 2
_LARGEST = 1e9  # of a slope: beyond that rounding has the last word


def belong(asked: Answered, asking: Inquiry) -> bool | None:
    """The gradients by the inputs are those of the submission's own values."""
    question, got = asked.case.question, asked.got
    wanted = [each for each in question.args if isinstance(each, Tensor) and each.requires_grad]
    if question.how.cotangents is None or got.failure is not None or not wanted:
        return None
    if len({id(each) for each in wanted}) < len(wanted):
        return None
    if any(each.dtype != torch.float64 for each in wanted):
        return None
    for seed in range(_DIRECTIONS):
        found = _Line(question, wanted, seed, asking).has(got)
        if found is not False:
            return found
    return False


class _Line:
    """One direction through the inputs of a question."""

    def __init__(
        self, question: Question, wanted: Sequence[Tensor], seed: int, asking: Inquiry
    ) -> None:
        draw = torch.Generator().manual_seed(seed)
        self._ways = [torch.randn(each.shape, generator=draw, dtype=each.dtype) for each in wanted]
        self._question = question
        self._wanted = wanted
        self._asking = asking

    def has(self, got: Answer) -> bool | None:
        """Whether the values have the slope along it that the gradients say; None: who knows?"""
        own = 0.0
        for gradient, way in zip(got.gradients, self._ways, strict=False):
            own += 0.0 if gradient is None else float((gradient.detach() * way).sum())
        slopes: list[float] = []
        for step in _STEPS:
            slope = self._slope(step)
            if slope is None or not abs(own) < torch.inf:  # never so for NaN
                return None
            if _near(slope, own, _AGREES):
                return True if own else None  # what never moves is a sign of nothing
            slopes.append(slope)
        far = self._slope(_FAR)
        if far is None or not _near(slopes[0], slopes[1], _AGREES):
            return None
        return False if _near(slopes[0], far, _ROUGHLY) else None

    def _slope(self, step: float) -> float | None:
        sums = [self._sum(sign * step) for sign in (1, -1)]
        if sums[0] is None or sums[1] is None:
            return None
        slope = (sums[0] - sums[1]) / (2 * step)
        return slope if abs(slope) < _LARGEST else None

    def _sum(self, step: float) -> float | None:
        """Of the outputs, each times its cotangent, so far along the line."""
        ways = dict(zip(map(id, self._wanted), self._ways, strict=True))
        args = [
            each + step * ways[id(each)] if id(each) in ways else each
            for each in self._question.args
        ]
        answer = self._asking.ask(without_gradients(replace(self._question, args=tuple(args))))
        if answer.failure is not None:
            return None
        cotangents = self._question.how.cotangents or ()
        parts = [*zip(outputs(answer.value), cotangents, strict=False)]
        if any(by is not None and one.shape != by.shape for one, by in parts):
            return None  # of which sum the gradients are, is not said
        return sum(float((one.detach() * by).sum()) for one, by in parts if by is not None)


def _near(one: float, other: float, allowed: float) -> bool:
    return abs(one - other) <= allowed * max(1.0, abs(one), abs(other))
