"""How far each tolerance is from right code and from wrong code, on the checks' questions.

Each sample's answers are compared with the reference's; its largest error is told in units of what
is allowed there. A right variant has to stay below 1/FACTOR, and a wrong sample whose values cost
it an item has to lie above FACTOR.
"""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import torch

from autograder.asking import Student, StudentError
from autograder.checking import Asked
from autograder.grading import Exam, remote_student
from autograder.handout.checks.compare import FLOAT32
from autograder.notebooks import read_submission
from autograder.proof.samples import Sample
from autograder.sandbox.host import Server
from autograder.sandbox.session import Answer

FACTOR = 100.0


@dataclass(frozen=True)
class Margin:
    """One item: errors in units of what its tolerance allows; None where nobody has any."""

    item: str
    tolerance: float
    right: float | None
    right_name: str
    wrong: float | None
    wrong_name: str

    @property
    def holds(self) -> bool:
        """Whether the tolerance is FACTOR away on either side."""
        below = self.right is None or self.right * FACTOR <= 1
        return below and (self.wrong is None or self.wrong >= FACTOR)


def margins(
    exam: Exam,
    samples: Sequence[Sample],
    server: Server,
    tell: Callable[[Sample], None] = lambda _: None,
    more: Iterable[Exam] = (),
) -> list[Margin]:
    """The margins of all items of an assignment; `tell` hears of each sample that was measured.

    more: the same assignment with other secrets, which draw other inputs; the worst of all counts.
    """
    right: dict[str, tuple[float, str]] = {}
    wrong: dict[str, tuple[float, str]] = {}
    tried = [each for each in samples if each.kind in ("right", "wrong")]
    for drawn, sample in product((exam, *more), tried):
        for item, error in _errors(sample, drawn, server).items():
            if sample.kind == "right":
                right[item] = max(right.get(item, (error, sample.name)), (error, sample.name))
            elif item in sample.fails and 1 < error < float("inf"):
                wrong[item] = min(wrong.get(item, (error, sample.name)), (error, sample.name))
        tell(sample)
    none = None, ""
    return [
        Margin(each.id, each.tolerance, *right.get(each.id, none), *wrong.get(each.id, none))
        for each in exam.assignment.items
    ]


def _errors(sample: Sample, exam: Exam, server: Server) -> dict[str, float]:
    """The largest error of each item whose questions compare numbers; infinite without answer."""
    with tempfile.TemporaryDirectory() as folder:
        submission = read_submission(sample.write(Path(folder)), exam.source)
    errors: dict[str, float] = {}
    with remote_student(submission, exam, server) as student:
        for outcome in exam.outcomes:
            tolerance = exam.assignment.item(outcome.item).tolerance
            for asked in outcome.asked:
                for error in _errors_of(student, asked, tolerance):
                    errors[outcome.item] = max(errors.get(outcome.item, 0.0), error)
    return errors


def _errors_of(student: Student, asked: Asked, tolerance: float) -> Iterator[float]:
    if asked.kind != "call":
        return
    try:
        got = student.call(*asked.question.call, **asked.question.options)
    except StudentError:
        yield float("inf")
        return
    pairs = zip(_numbers(got, asked), _numbers(asked.answer, asked), strict=False)
    for one, expected in pairs:
        if not isinstance(expected, torch.Tensor) or not expected.is_floating_point():
            continue
        if not isinstance(one, torch.Tensor) or one.shape != expected.shape:
            yield float("inf")
        elif expected.numel() and one.device == expected.device:
            difference = (one.double() - expected.double()).abs()
            error = difference / expected.double().abs().clamp(min=1)
            double = expected.dtype == torch.float64
            allowed = tolerance if double else max(tolerance, FLOAT32)
            yield error.nan_to_num(float("inf"), float("inf")).max().item() / allowed


def _numbers(answer: Answer, asked: Asked) -> list[Any]:
    several = isinstance(answer.value, (tuple, list)) and len(asked.outputs) > 1
    values = list(answer.value) if several else [answer.value]
    named = zip([*asked.outputs, *asked.question.how.read], [*values, *answer.read], strict=False)
    seen = [value for name, value in named if name in asked.look_at]
    return [
        torch.tensor(each, dtype=torch.float64) if isinstance(each, float) else each
        for each in [*seen, *answer.gradients]
    ]
