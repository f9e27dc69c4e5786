"""A few questions more than the checks ask, put to a submission and to the reference.

What is asked is made up here, so it counts only where the reference has an answer of plain
numbers. The questions are numbered: nobody waits long for a better explanation.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from autograder.asking import LocalStudent, Question, ReferenceFailed, Student, StudentError
from autograder.course import Verdict
from autograder.diagnosis.evidence import Case, failure_of
from autograder.handout.checks.weights import drawn_weights
from autograder.sandbox.modules import Blueprint
from autograder.sandbox.session import Answer

QUESTIONS = 100  # of one submission


class Enough(Exception):
    """No more questions: the submission's process is gone, or has been asked enough."""


@dataclass(frozen=True, eq=False)
class Answered:
    """A case, and what the submission answered."""

    case: Case
    got: Answer


class Inquiry:
    """Asks a submission until it is enough, and the reference."""

    def __init__(
        self, student: Student, reference: LocalStudent, parameters: Mapping[str, list[str]]
    ) -> None:
        self._student = student
        self._reference = reference
        self._parameters = parameters
        self.left = QUESTIONS
        self.consulted = 0  # how often the reference was

    def ask(self, question: Question, cost: int = 1) -> Answer:
        """The submission's answer; what it raised is the answer's failure. Raises Enough."""
        if self.left < max(cost, 1):
            raise Enough
        self.left -= cost
        try:
            return self._student.call(*question.call, **question.options)
        except ReferenceFailed as error:
            return Answer(None, failure=error.failure)
        except StudentError as error:
            if error.failure is None and error.verdict is not Verdict.WRONG:
                self.left = 0
                raise Enough from error
            return Answer(None, failure=failure_of(error))

    def right(self, question: Question) -> Answer | None:
        """The reference's answer; None where it raises, or has other than finite numbers."""
        self.consulted += 1
        answer = self._reference.answer(question)
        if answer.failure is not None:
            return None
        parts = [*outputs(answer.value), *answer.read, *answer.gradients]
        numbers = [each for each in parts if isinstance(each, Tensor) and each.device.type == "cpu"]
        return answer if all(bool(each.isfinite().all()) for each in numbers) else None

    def drawn(self, blueprint: Blueprint) -> Blueprint | None:
        """The blueprint with weights of its own shapes; None when its sizes are impossible."""
        made = blueprint.without_loading().of("state_dict")
        found = self._reference.answer(Question(made))
        if found.failure is not None:
            return None
        shapes = {name: tuple(each.shape) for name, each in found.value.items()}
        return replace(blueprint, weights=drawn_weights(shapes, 0))

    def names_of(self, question: Question) -> list[str]:
        """The names of what is passed by position."""
        target = question.target
        called = target if isinstance(target, str) else f"{target.name}.{target.method}"
        known = self._parameters.get(called, [])
        return [each for each in known if each not in question.kwargs]


def outputs(value: Any) -> tuple[Any, ...]:
    """What was returned, one by one."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def is_plain(case: Case) -> bool:
    """Whether it is a call that is compared by value, of functions or loaded modules."""
    question, how = case.question, case.question.how
    if case.asked is None or case.asked.kind != "call":
        return False
    if how.count or how.elsewhere or how.watch or how.work or how.before:
        return False
    target = question.target
    if isinstance(target, Blueprint) and (target.weights is None or target.method == "state_dict"):
        return False
    return all(
        each is None or type(each) in (bool, int, float, str) or _is_dense(each) or _is_loaded(each)
        for each in _given(question)
    )


def passes_a_module(question: Question) -> bool:
    """Whether a module is among what is passed: its weights cannot be typed."""
    return any(isinstance(each, Blueprint) for each in _given(question))


def _given(question: Question) -> list[Any]:
    return [*question.args, *question.kwargs.values()]


def _is_loaded(value: Any) -> bool:
    return isinstance(value, Blueprint) and value.weights is not None


def _is_dense(value: Any) -> bool:
    return type(value) is Tensor and value.device.type == "cpu" and value.layout == torch.strided


def floats(question: Question) -> list[Tensor]:
    """The tensors of numbers that are passed, each once."""
    given = [*question.args, *question.kwargs.values()]
    found = {id(each): each for each in given if isinstance(each, Tensor)}
    return [each for each in found.values() if each.is_floating_point()]


def tensors(question: Question) -> list[Tensor]:
    """All tensors that are passed, each once, and the cotangents."""
    given = [*question.args, *question.kwargs.values(), *(question.how.cotangents or ())]
    return list({id(each): each for each in given if isinstance(each, Tensor)}.values())


def changed(question: Question, change: Any) -> Question:
    """The question with every tensor of its inputs and cotangents changed, each once.

    change: gives a tensor for a tensor; whether a gradient is asked for stays as it was.
    """
    done: dict[int, Any] = {}

    def of(value: Any) -> Any:
        if not isinstance(value, Tensor):
            return value
        if id(value) not in done:
            new = change(value.detach())
            done[id(value)] = new.detach().requires_grad_(value.requires_grad)
        return done[id(value)]

    cotangents = question.how.cotangents
    how = replace(question.how, cotangents=cotangents and tuple(map(of, cotangents)))
    kwargs = {name: of(each) for name, each in question.kwargs.items()}
    return replace(question, args=tuple(map(of, question.args)), kwargs=kwargs, how=how)


def without_gradients(question: Question) -> Question:
    """The same question, about the values alone."""
    plain = replace(question, how=replace(question.how, cotangents=None))
    return changed(plain, lambda tensor: tensor.clone())
