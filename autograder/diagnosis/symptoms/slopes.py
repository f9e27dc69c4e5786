"""Whether gradients belong to the values: central differences of a submission's own answers."""

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from autograder.asking import Question
from autograder.diagnosis.symptoms.inquiry import Answered, Inquiry, outputs, without_gradients
from autograder.sandbox.session import Answer

_STEP = 1e-5
_AGREES = 1e-5  # a slope and a gradient, relative to values above 1
_LARGEST = 1e9  # of a slope: beyond that rounding has the last word


def belong(asked: Answered, asking: Inquiry) -> bool | None:
    """The gradients by the inputs are those of the submission's own values."""
    question, got = asked.case.question, asked.got
    cotangents = question.how.cotangents
    wanted = [each for each in question.args if isinstance(each, Tensor) and each.requires_grad]
    if cotangents is None or got.failure is not None or not wanted:
        return None
    if len({id(each) for each in wanted}) < len(wanted):
        return None
    if any(each.dtype != torch.float64 for each in wanted):
        return None
    found = [_along(question, got, wanted, step, asking) for step in (_STEP, _STEP / 8)]
    # Beside a kink one of them may differ.
    return None if None in found else any(found)


def _along(
    question: Question, got: Answer, wanted: Sequence[Tensor], step: float, asking: Inquiry
) -> bool | None:
    draw = torch.Generator().manual_seed(int(1 / step))
    directions = [torch.randn(each.shape, generator=draw, dtype=each.dtype) for each in wanted]
    sums = []
    for sign in (1, -1):
        ways = {id(each): sign * step * way for each, way in zip(wanted, directions, strict=True)}
        args = [each + ways[id(each)] if id(each) in ways else each for each in question.args]
        other = without_gradients(replace(question, args=tuple(args)))
        answer = asking.ask(other)
        if answer.failure is not None:
            return None
        parts = zip(outputs(answer.value), question.how.cotangents or (), strict=False)
        sums.append(sum(float((one.detach() * by).sum()) for one, by in parts if by is not None))
    slope = (sums[0] - sums[1]) / (2 * step)
    own = 0.0
    for gradient, way in zip(got.gradients, directions, strict=False):
        own += 0.0 if gradient is None else float((gradient.detach() * way).sum())
    if not abs(slope) < _LARGEST or not abs(own) < torch.inf:  # never so for NaN
        return None
    return abs(slope - own) <= _AGREES * max(1.0, abs(slope), abs(own))
