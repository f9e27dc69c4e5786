"""What a submission answered while one check ran, and whether a check could compute with it.

A check computes with answers. Where one cannot be computed with, for it has no data, or is a text,
the check fails by itself; but the fault is the check's only if the answer was of the right kind.
"""

from collections.abc import Mapping
from typing import Any

import torch

from autograder.asking import Question, ReferenceFailed, Student
from autograder.handout.checks import compare
from autograder.sandbox.modules import Blueprint
from autograder.sandbox.session import Answer


class Heard:
    """A student that remembers what it was asked in a check, and answered."""

    def __init__(self, student: Student) -> None:
        self._student = student
        self._values: list[tuple[str, Any]] = []
        self._answers: list[tuple[Question, Answer]] = []
        self.calls = 0  # answered or not

    def get(self, name: str) -> Any:
        """The value of a name of the notebook."""
        value = self._student.get(name)
        self._values.append((name, value))
        return value

    def call(self, target: str | Blueprint, *args: Any, **options: Any) -> Answer:
        """Make a call."""
        self.calls += 1
        answer = self._student.call(target, *args, **options)
        self._answers.append((Question.of(target, args, options), answer))
        return answer

    def odd(self, reference: Student) -> str | None:
        """The first answer that is of another kind than the reference's, in a sentence."""
        for name, value in self._values:
            if problem := _differs(value, reference.get(name), name):
                return problem
        for question, answer in self._answers:
            try:
                right = reference.call(*question.call, **question.options)
            except ReferenceFailed:
                continue
            pairs = [("the result", answer.value, right.value)]
            pairs += (("the result", *both) for both in zip(answer.read, right.read, strict=False))
            gradients = zip(answer.gradients, right.gradients, strict=False)
            pairs += (("a gradient", *both) for both in gradients)
            for what, got, expected in pairs:
                if problem := _differs(got, expected, what):
                    return f"{question.name}: {problem}"
        return None


def _differs(got: Any, expected: Any, name: str) -> str | None:
    """How a value differs in kind from what is right; not whether its numbers do."""
    if isinstance(expected, (torch.Tensor, int, float)) and not isinstance(expected, bool):
        return compare.compare(got, expected, torch.inf, name)
    if type(got) is not type(expected):
        what = got if type(got).__name__ == "Odd" else type(got).__name__
        return f"{name}: expected {type(expected).__name__}, got {what}"
    if isinstance(expected, Mapping):
        if got.keys() != expected.keys():
            return f"{name}: expected the keys {', '.join(map(str, expected))}"
        pairs = [(got[key], expected[key]) for key in expected]
    elif isinstance(expected, (tuple, list)):
        if len(got) != len(expected):
            return f"{name}: expected {len(expected)} values, got {len(got)}"
        pairs = list(zip(got, expected, strict=True))
    else:
        return None
    found = (_differs(*each, name) for each in pairs)
    return next((each for each in found if each), None)
