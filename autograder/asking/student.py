"""What a check sees of a submission: names to call, tensors in, tensors out.

A submission runs behind the walls (see remote.py) and may die at any moment; the reference runs
here. Both answer alike. What goes wrong in a submission is raised as StudentError with its
verdict; what goes wrong in the reference is raised as it is: that is a fault of the course.
"""

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import chain
from typing import Any, Protocol

import torch

from autograder.course import Verdict
from autograder.sandbox import values, wire
from autograder.sandbox.failure import Failure
from autograder.sandbox.how import SAID, How
from autograder.sandbox.modules import Blueprint
from autograder.sandbox.session import Answer, Session


class StudentError(Exception):
    """A submission's own mistake: the verdict, the sentence about it, the exception if one was.

    shapes: those of a module's parameters, where they are not what they must be.
    """

    def __init__(
        self,
        verdict: Verdict,
        message: str,
        failure: Failure | None = None,
        shapes: Mapping[str, tuple[int, ...]] | None = None,
    ) -> None:
        super().__init__(message)
        self.verdict = verdict
        self.failure = failure
        self.shapes = shapes


class ReferenceFailed(RuntimeError):
    """The reference raised an exception."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(f"the reference fails: {told(failure)}")
        self.failure = failure


@dataclass(frozen=True)
class Cell:
    """One cell to run. `solution`: it answers a stub, whose functions the items look at."""

    name: str
    source: str
    solution: bool = False


_HOW = {each.name for each in fields(How)}


@dataclass(frozen=True, eq=False)
class Question:
    """One call that a check makes, apart from whom it asks."""

    target: str | Blueprint
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    how: How = How()  # noqa: RUF009 # it cannot be changed

    @classmethod
    def of(
        cls, target: str | Blueprint, args: tuple[Any, ...], options: Mapping[str, Any]
    ) -> "Question":
        """A question from a call's arguments, in which those of How stand among the others."""
        how = {name: each for name, each in options.items() if name in _HOW}
        kwargs = {name: each for name, each in options.items() if name not in _HOW}
        return cls(target, args, kwargs, How(**how))

    @property
    def name(self) -> str:
        """The function, or the class of the module, that is asked."""
        return self.target if isinstance(self.target, str) else self.target.name

    def copied(self) -> "Question":
        """The same with inputs of its own: a check may go on to change what it passed."""
        done: dict[int, torch.Tensor] = {}
        inputs = self.args, self.kwargs, self.how.before
        args, kwargs, before = (_copy(each, done) for each in inputs)
        return replace(self, args=args, kwargs=kwargs, how=replace(self.how, before=before))

    @property
    def call(self) -> tuple[Any, ...]:
        """Target and arguments, as they stand in a call."""
        return self.target, *self.args

    @property
    def options(self) -> dict[str, Any]:
        """Keyword arguments, those of How among them, as they stand in a call."""
        return {**self.kwargs, **{name: getattr(self.how, name) for name in _HOW}}

    @cached_property
    def weights(self) -> list[Mapping[str, torch.Tensor]]:
        """The weights of the modules in it."""
        parts = (self.target, *self.args, *self.kwargs.values())
        found = [each.weights for each in parts if isinstance(each, Blueprint)]
        return [each for each in found if each is not None]

    def is_same(self, other: "Question") -> bool:
        """Whether the two are equal to the last bit of every input."""
        return (
            self.name == other.name
            and _equal(self.args, other.args)
            and _equal(self.kwargs, other.kwargs)
            and _equal(self.target, other.target)
            and (self.how is other.how or _equal(vars(self.how), vars(other.how)))
        )

    @cached_property
    def weight_frames(self) -> list[bytes]:
        """The weights as they go over the wire, before the question."""
        frames = []
        for weights in self.weights:
            packer = values.Packer(wire.MAX_BYTES)
            parts = {name: packer.pack(each) for name, each in weights.items()}
            header = {"op": "weights", "key": id(weights), "weights": parts}
            frames.append(wire.encode(header, packer.tensors))
        return frames

    @cached_property
    def frame(self) -> bytes:
        """The request as it goes over the wire."""
        packer = values.Packer(wire.MAX_BYTES)
        how, target = self.how, self.target
        inputs = [*self.args, *self.kwargs.values(), *how.before.values()]
        # One tensor that is passed twice arrives as one: a function may tell, and write to it.
        parts = {id(each): _packed(packer, each) for each in inputs}
        header = {
            "op": "call",
            "target": target if isinstance(target, str) else _packed(packer, target),
            "args": [parts[id(each)] for each in self.args],
            "kwargs": {key: parts[id(each)] for key, each in self.kwargs.items()},
            "cotangents": how.cotangents and [packer.pack(each) for each in how.cotangents],
            "read": list(how.read),
            "watch": list(how.watch),
            "before": [(name, parts[id(each)]) for name, each in how.before.items()],
            **{name: getattr(how, name) for name in SAID},
        }
        return wire.encode(header, packer.tensors)


def _packed(packer: values.Packer, value: Any) -> wire.Header:
    if not isinstance(value, Blueprint):
        return packer.pack(value)
    header = {
        "name": value.name,
        "args": [packer.pack(each) for each in value.args],
        "kwargs": {name: packer.pack(each) for name, each in (value.kwargs or {}).items()},
        "weights": None if value.weights is None else id(value.weights),
        "method": value.method,
        "train": value.train,
        "dtype": str(value.dtype).removeprefix("torch."),
    }
    return {"blueprint": header}


def _equal(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if isinstance(one, Blueprint) and isinstance(other, Blueprint):
        return one.name == other.name and _equal(
            list(vars(one).values()), list(vars(other).values())
        )
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        same = one.shape == other.shape and one.dtype == other.dtype
        # Gaps in memory are left behind by a copy, and do not travel.
        same = same and (
            one.stride() == other.stride() or values.order_of(one) == values.order_of(other)
        )
        return same and one.requires_grad == other.requires_grad and torch.equal(one, other)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(_equal, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(one[key], other[key]) for key in one)
    return type(one) is type(other) and bool(one == other)


def _copy(value: Any, done: dict[int, torch.Tensor]) -> Any:
    """A copy in which what was one tensor is one again; `done`: those copied already."""
    if isinstance(value, (tuple, list)):
        return tuple(_copy(each, done) for each in value)
    if isinstance(value, Mapping):
        return {key: _copy(each, done) for key, each in value.items()}
    if isinstance(value, torch.Tensor):
        if id(value) not in done:
            done[id(value)] = value.detach().clone().requires_grad_(value.requires_grad)
        return done[id(value)]
    return value


class Student(Protocol):
    """A notebook that has been run, and can be asked."""

    def get(self, name: str) -> Any:
        """The value of a name of the notebook."""

    def call(self, target: str | Blueprint, *args: Any, **options: Any) -> Answer:
        """Call a function of the notebook, or a method of a module that is made for it.

        options: those of How, and the call's own keyword arguments.
        """


_UNDRAWN = torch.Generator().manual_seed(0).get_state()  # in which each call begins


@dataclass(frozen=True)
class Reply:
    """What a notebook answered to a question, and how. draws: it drew random numbers."""

    question: Question
    answer: Answer
    seconds: float  # of the processor
    draws: bool


class LocalStudent:
    """A notebook run in this very process: the reference. Its failures are raised as they are."""

    def __init__(self, cells: Sequence[Cell], modules: Mapping[str, str]) -> None:
        self.asked: list[Reply] = []  # all that was asked, until it recalls
        self._known: Sequence[Reply] | None = None
        self._next = 0  # of what is known: most of it is asked in the same order
        warnings.filterwarnings("ignore", module=r"notebook\Z")  # its own, and its faults'
        self._session = Session()
        for name, source in modules.items():
            self._session.module(name, source)
        for cell in cells:
            failure = self._session.cell(cell.name, cell.source)
            if failure:
                raise ReferenceFailed(failure)

    @property
    def names(self) -> dict[str, Any]:
        """All that the cells have defined."""
        return self._session.names

    def get(self, name: str) -> Any:
        """The value of a name of the reference."""
        return self._right(self._session.get(name)).value

    def call(self, target: str | Blueprint, *args: Any, **options: Any) -> Answer:
        """Make a call of the reference. Raises ReferenceFailed."""
        question = Question.of(target, args, options)
        if self._known is not None:
            return self._right(self._recalled(question, self._known) or self.answer(question))
        kept = question.copied()
        started = time.thread_time()  # not how busy the machine was
        answer = self._session.call(target, question.args, question.kwargs, question.how)
        seconds, state = time.thread_time() - started, torch.default_generator.get_state()
        self.asked.append(Reply(kept, answer, seconds, draws=not torch.equal(state, _UNDRAWN)))
        return self._right(answer)

    def answer(self, question: Question) -> Answer:
        """A question's answer, found now and not kept; what is raised is the answer's failure."""
        own = question.copied()
        return self._session.call(own.target, own.args, own.kwargs, own.how)

    def recall(self, known: Sequence[Reply]) -> None:
        """Answer these questions without being run again: what was `asked` of the same code.

        From now on nothing more is kept.
        """
        self._known = tuple(known)

    def _recalled(self, question: Question, known: Sequence[Reply]) -> Answer | None:
        for at in chain(range(self._next, len(known)), range(self._next)):
            if known[at].question.is_same(question):
                self._next = at + 1
                return known[at].answer
        return None

    @staticmethod
    def _right(answer: Answer) -> Answer:
        if answer.failure:
            raise ReferenceFailed(answer.failure)
        return answer


def told(failure: Failure) -> str:
    """An exception in words, with the line that raised it."""
    said = f"{failure.type}: {failure.message}" if failure.message else failure.type
    if failure.cell is not None and failure.line is not None:
        said += f"\n  in the cell {failure.cell}, line {failure.line}"
        if failure.source:
            said += f": {failure.source}"
    return said
