"""What a submission's answers show: the questions of the checks, and what is right.

A check stops at the first answer that is wrong; here all of them are looked at.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from autograder.asking import Question, Reply, Student, StudentError
from autograder.checking import Asked
from autograder.course import Verdict
from autograder.sandbox.failure import Failure
from autograder.sandbox.modules import Blueprint
from autograder.sandbox.session import Answer

WRONG_PARAMETERS = "WrongParameters"


@dataclass(frozen=True, eq=False)
class Case:
    """One question of one item, and what is right.

    asked: how the check compares the answer; None where it looks at a property of the answer.
    drawn: numbers may come of weights that start at random, and prove nothing then; draws: the
    call draws random numbers, as dropout does. sentence: what the check says that it looks at.
    known: what mistakes that are known give in its place. crowded: several situations meet there,
    and with them all mistakes.
    """

    item: str
    question: Question
    right: Answer
    tolerance: float
    asked: Asked | None = None
    at: int = -1  # its place among the questions that are foreseen; -1: a value is no question
    seconds: float = 0.0  # of the processor, that the reference took
    drawn: bool = False
    draws: bool = False
    sentence: str = ""
    known: tuple[Answer, ...] = ()
    crowded: bool = False

    @property
    def is_value(self) -> bool:
        """Whether a name's value is looked at, and nothing is called."""
        return self.asked is not None and self.asked.kind == "value"

    @cached_property
    def size(self) -> int:
        """The bytes of the question: how long it takes, about, and the same in every run."""
        return len(self.question.frame) + sum(map(len, self.question.weight_frames))

    @cached_property
    def in_float32(self) -> bool:
        """Whether numbers are passed in float32."""
        parts = (self.question.target, *self.question.args, *self.question.kwargs.values())
        return any(getattr(each, "dtype", None) == torch.float32 for each in parts)

    @cached_property
    def constants(self) -> frozenset[str]:
        """The parameters, of those that the reference answered with, that start as one number."""
        found = self.right.value if isinstance(self.right.value, Mapping) else {}
        return frozenset(name for name, each in found.items() if is_one_number(each))

    @property
    def is_parameters(self) -> bool:
        """Whether it is about the names and shapes of a module's parameters."""
        return self.asked is not None and self.asked.kind == "parameters"

    @property
    def gives_state(self) -> bool:
        """Whether it is answered with a state dict."""
        target = self.question.target
        return isinstance(target, Blueprint) and target.method == "state_dict"

    @property
    def is_of_state(self) -> bool:
        """Whether it is about what a module holds as it was made, and nothing that it does."""
        return self.gives_state and not self.question.how.before

    @property
    def is_of_an_error(self) -> bool:
        """Whether an exception is asked for."""
        return self.asked is not None and self.asked.kind == "raises"

    @property
    def counts_calls(self) -> bool:
        """Whether it is about how torch is called, which no answer is right or wrong in."""
        return self.question.how.count


def cases_of(
    item: str,
    tolerance: float,
    asked: Iterable[Asked],
    replies: Sequence[Reply],
    sentences: Sequence[str],
    crowded: Collection[str],
    start: int,
    reference: Callable[[Question], Answer],
) -> Iterator[Case]:
    """The cases of an item, from what its checks asked of the reference and what it answered.

    sentences: of the check that got each reply; crowded: those in whose questions situations meet;
    start: how many questions were asked before; reference: answers any other.
    """
    known = list(asked)
    for each in known:
        if each.kind == "value":
            yield Case(item, each.question, each.answer, tolerance, each)
    for at, (reply, sentence) in enumerate(zip(replies, sentences, strict=True), start):
        question, of_a_call = reply.question, (each for each in known if each.kind != "value")
        how = next((each for each in of_a_call if each.question.is_same(question)), None)
        # Where a check compares numbers, it knows that they do not hang on the weights.
        compared = how is not None and how.kind == "call"
        drawn = not compared and _starts_at_random(question.target, reference)
        about = item, question, reply.answer, tolerance, how, at, reply.seconds
        yield Case(*about, drawn, reply.draws, sentence, crowded=sentence in crowded)


def _starts_at_random(target: str | Blueprint, reference: Callable[[Question], Answer]) -> bool:
    if isinstance(target, str) or target.weights is not None:
        return False
    made = reference(Question(target.of("state_dict"))).value
    return isinstance(made, Mapping) and not all(map(is_one_number, made.values()))


def tensors_of(answer: Answer) -> Iterator[Tensor]:
    """All that an answer holds."""
    return _within([answer.value, *answer.gradients, *answer.read])


def _within(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (tuple, list, Mapping)):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _within(each)


def told_by(answer: Callable[[], Answer]) -> Answer:
    """A submission's answer; what kept it from answering is told as the answer's failure."""
    try:
        return answer()
    except StudentError as error:
        return Answer(error.shapes, failure=failure_of(error))


def failure_of(error: StudentError) -> Failure:
    """What was raised, or what else kept a submission from answering."""
    kind = WRONG_PARAMETERS if error.verdict is Verdict.WRONG else str(error.verdict)
    return error.failure or Failure(kind, "")


def cannot_be_loaded(answer: Answer) -> bool:
    """Whether a module has other parameters than those that it was to load."""
    return answer.failure is not None and answer.failure.type == WRONG_PARAMETERS


def ask(student: Student, case: Case) -> Answer:
    """A submission's answer to a case."""
    if case.is_value:
        return told_by(lambda: Answer(student.get(case.question.name)))
    return told_by(lambda: student.call(*case.question.call, **case.question.options))


def is_one_number(value: Any) -> bool:
    """Whether a tensor holds one number throughout."""
    if not isinstance(value, Tensor):
        return False
    numbers = value.flatten()  # an empty tensor is broadcast against nothing
    return bool((numbers == numbers[:1]).all())
