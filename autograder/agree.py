"""Asks the student and the reference the same, and holds the two answers together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from autograder.handout import checks
from autograder.sandbox.session import Answer
from autograder.student import Student


class Wrong(Exception):
    """The submission's answer is wrong; the message is the sentence for the student."""


@dataclass(frozen=True)
class Asked:
    """One question put to both, with the reference's answer: a public case is made of it."""

    name: str
    args: tuple[Any, ...] | None  # None: a value was asked for, not a call
    kwargs: Mapping[str, Any]
    cotangents: Sequence[Any] | None
    outputs: Sequence[str]
    look_at: Sequence[str]
    exact_zeros: bool
    answer: Answer


class Agree:
    """`agree(name, *args)`: the student's function gives what the reference gives.

    Raises Wrong with a sentence, and StudentError when the submission gives no answer at all.
    """

    def __init__(
        self,
        student: Student,
        reference: Student,
        tolerance: float,
        parameters: Mapping[str, list[str]],
    ) -> None:
        self._student = student
        self._reference = reference
        self._tolerance = tolerance
        self._parameters = parameters
        self.asked: list[Asked] = []

    def value(self, name: str) -> torch.Tensor:
        """A value of the notebook's agrees; returns the student's."""
        expected = self._reference.get(name)
        self.asked.append(Asked(name, None, {}, None, (name,), (name,), False, Answer(expected)))
        got = self._student.get(name)
        # Numbers typed in: any floating dtype will do, and none excuses more than the tolerance.
        double = expected.double()
        same_kind = isinstance(got, torch.Tensor) and got.is_floating_point()
        problem = checks.compare(got.double() if same_kind else got, double, self._tolerance, name)
        if problem:
            raise Wrong(problem)
        assert isinstance(got, torch.Tensor)  # or compare would have said so
        return got

    def __call__(
        self,
        name: str,
        *args: Any,
        outputs: Sequence[str] = ("the result",),
        look_at: Sequence[str] | None = None,
        exact_zeros: bool = False,
        cotangents: Sequence[Any] | None = None,
        elsewhere: bool = False,
        **kwargs: Any,
    ) -> Answer:
        """A call agrees; returns the student's answer.

        outputs: names of what the function returns; look_at: those that are compared (None:
        all); exact_zeros: where the reference gives 0, only 0 will do; cotangents: compare the
        gradients of sum(output * cotangent) by every floating argument too; elsewhere: compare on
        which device the outputs are, when the inputs are on another one than the default.
        """
        if cotangents is not None:
            args = tuple(_asking_for_gradient(each) for each in args)
        how: dict[str, Any] = {"cotangents": cotangents, "elsewhere": elsewhere}
        expected = self._reference.call(name, *args, **how, **kwargs)
        look_at = outputs if look_at is None else look_at
        self.asked.append(
            Asked(name, args, kwargs, cotangents, outputs, look_at, exact_zeros, expected)
        )
        got = self._student.call(name, *args, **how, **kwargs)
        problem = checks.compare_outputs(
            got.value,
            expected.value,
            self._tolerance,
            names=list(outputs),
            look_at=list(look_at),
            exact_zeros=exact_zeros,
        )
        parameters = self._parameters[name]
        pairs = zip(parameters, got.gradients, expected.gradients, strict=False)
        for parameter, one, other in pairs if cotangents is not None else ():
            if problem is None:
                problem = checks.NO_GRADIENT if one is None else None
                problem = problem or checks.compare(
                    one,
                    other,
                    self._tolerance,
                    f"the gradient of {parameter}",
                    exact_zeros=exact_zeros,
                )
        if problem is None and got.elsewhere != expected.elsewhere:
            problem = "the result is on torch's default device, which is not the one it should be"
        if problem:
            self.wrong(name, problem, *args, **kwargs)
        return got

    def unchanged(self, name: str, *args: Any, **kwargs: Any) -> None:
        """The student's function writes to none of its inputs."""
        answer = self._student.call(name, *args, **kwargs)
        if answer.changed:
            names = checks.called_names(self._parameters[name], dict(kwargs))
            self.wrong(name, f"it changes its input {names[answer.changed[0]]}", *args, **kwargs)

    def wrong(self, name: str, problem: str, *args: Any, **kwargs: Any) -> None:
        """Raise Wrong about one call."""
        called = checks.describe_call(name, self._parameters[name], list(args), dict(kwargs))
        raise Wrong(f"{called}: {problem}")


def _asking_for_gradient(value: Any) -> Any:
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return value.detach().requires_grad_()
    return value
