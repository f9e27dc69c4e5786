"""What a check sees of a submission: names to call, tensors in, tensors out.

A submission runs behind the walls (see remote.py) and may die at any moment; the reference runs
here. Both answer alike. What goes wrong in a submission is raised as StudentError with its
verdict; what goes wrong in the reference is raised as it is: that is a fault of the course.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import torch

from autograder.result import Verdict
from autograder.sandbox import wire
from autograder.sandbox.session import Answer, Failure, Session


class StudentError(Exception):
    """A submission's own mistake: the verdict and the sentence about it."""

    def __init__(self, verdict: Verdict, message: str) -> None:
        super().__init__(message)
        self.verdict = verdict


@dataclass(frozen=True)
class Cell:
    """One cell to run. `solution`: it answers a stub, whose functions the items look at."""

    name: str
    source: str
    solution: bool = False


@dataclass(frozen=True, eq=False)
class Question:
    """One call that a check makes, apart from whom it asks."""

    name: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    cotangents: Sequence[Any] | None = None
    elsewhere: bool = False

    def is_same(self, other: "Question") -> bool:
        """Whether the two are equal to the last bit of every input."""
        return self.name == other.name and _equal(self._parts(), other._parts())

    def _parts(self) -> list[Any]:
        return [list(self.args), dict(self.kwargs), self.cotangents, self.elsewhere]

    @cached_property
    def frame(self) -> bytes:
        """The request as it goes over the wire."""
        packer = wire.Packer(wire.MAX_BYTES)
        cotangents = self.cotangents
        header = {
            "op": "call",
            "name": self.name,
            "args": [packer.pack(each) for each in self.args],
            "kwargs": {key: packer.pack(each) for key, each in self.kwargs.items()},
            "cotangents": None if cotangents is None else [packer.pack(c) for c in cotangents],
            "elsewhere": self.elsewhere,
        }
        return wire.encode(header, packer.tensors)


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        same = one.dtype == other.dtype and one.stride() == other.stride()
        same = same and one.requires_grad == other.requires_grad
        return same and torch.equal(one.detach(), other.detach())
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(_equal, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(one[key], other[key]) for key in one)
    return type(one) is type(other) and bool(one == other)


def _copy(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_copy, value))
    if isinstance(value, torch.Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad)
    return value


class Student(Protocol):
    """A notebook that has been run, and can be asked."""

    def get(self, name: str) -> Any:
        """The value of a name of the notebook."""

    def call(
        self,
        name: str,
        *args: Any,
        cotangents: Sequence[Any] | None = None,
        elsewhere: bool = False,
        **kwargs: Any,
    ) -> Answer:
        """Call a function of the notebook; see Session.call for `cotangents`, `elsewhere`."""


class LocalStudent:
    """A notebook run in this very process: the reference. Its failures are raised as they are."""

    def __init__(self, cells: Sequence[Cell], modules: Mapping[str, str]) -> None:
        self.asked: list[Question] = []  # all that was ever asked of it
        self._session = Session()
        for name, source in modules.items():
            self._session.module(name, source)
        for cell in cells:
            failure = self._session.cell(cell.name, cell.source)
            if failure:
                raise RuntimeError(f"the reference fails: {told(failure)}")

    def get(self, name: str) -> Any:
        """The value of a name of the reference."""
        return self._right(self._session.get(name)).value

    def call(
        self,
        name: str,
        *args: Any,
        cotangents: Sequence[Any] | None = None,
        elsewhere: bool = False,
        **kwargs: Any,
    ) -> Answer:
        """Call a function of the reference."""
        # Copies: a check may go on to change what it passed.
        kept = {key: _copy(value) for key, value in kwargs.items()}
        self.asked.append(Question(name, _copy(args), kept, _copy(cotangents), elsewhere))
        return self._right(self._session.call(name, args, kwargs, cotangents, elsewhere))

    @staticmethod
    def _right(answer: Answer) -> Answer:
        if answer.failure:
            raise RuntimeError(f"the reference fails: {told(answer.failure)}")
        return answer


def told(failure: Failure) -> str:
    """An exception in words, with the line that raised it."""
    said = f"{failure.type}: {failure.message}" if failure.message else failure.type
    if failure.cell is not None and failure.line is not None:
        said += f"\n  in the cell {failure.cell}, line {failure.line}"
        if failure.source:
            said += f": {failure.source}"
    return said
