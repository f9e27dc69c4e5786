"""What comes back through the walls, as an answer: of a stranger's word nothing is believed."""

from typing import Any

import torch

from autograder.asking.student import Question
from autograder.sandbox import values, wire
from autograder.sandbox.modules import Watched
from autograder.sandbox.session import EARLIER, Answer

# What reading an answer may raise that was made to be misread.
NO_ANSWER = (
    *(wire.WireError, LookupError, TypeError, ValueError),
    *(OverflowError, RecursionError),
)


def read_answer(reply: wire.Header, tensors: wire.Tensors, question: Question) -> Answer:
    """A reply as an answer to a question.

    Raises one of NO_ANSWER for what was made to be misread.
    """
    inputs = len(question.args) + len(question.kwargs)
    changed = tuple(int(each) for each in reply["changed"])
    places = {*range(inputs), *([EARLIER] if question.how.before else [])}
    if not places.issuperset(changed):
        raise ValueError("it names inputs that were not given")
    gradients = tuple(values.unpack(each, tensors) for each in reply["gradients"])
    answer = Answer(
        values.unpack(reply["value"], tensors),
        gradients,
        changed,
        elsewhere=tuple(bool(each) for each in reply["elsewhere"]),
        read=tuple(values.unpack(each, tensors) for each in reply["read"]),
        watched=tuple(Watched(int(n), bool(g), bool(t)) for n, g, t in reply["watched"]),
        mode_changed=bool(reply["mode_changed"]),
        operations=int(reply["operations"]),
        multiplications=int(reply["multiplications"]),
    )
    _must_be_whole(answer, question)
    return answer


def _must_be_whole(answer: Answer, question: Question) -> None:
    """Raise ValueError where less comes back than was asked for: what is not told is not right."""
    how = question.how
    if not all(map(_is_gradient, answer.gradients)):
        raise ValueError("it tells of gradients that are none")
    inputs = (*question.args, *question.kwargs.values())
    wanting = [each for each in inputs if isinstance(each, torch.Tensor) and each.requires_grad]
    outputs = len(answer.value) if isinstance(answer.value, (tuple, list)) else 1
    of_all = len(wanting) + sum(map(len, question.weights))
    asked = {
        "gradients": (answer.gradients, 0 if how.cotangents is None else of_all),
        "attributes": (answer.read, len(how.read)),
        "parts": (answer.watched, len(how.watch)),
        "devices": (answer.elsewhere, outputs if how.elsewhere else 0),
    }
    for what, (told, count) in asked.items():
        if len(told) != count:
            raise ValueError(f"it tells of {len(told)} {what}, where {count} were asked for")


def _is_gradient(found: Any) -> bool:
    """Whether it may be one: a tensor with data, or one of a kind that does not travel."""
    has_data = isinstance(found, torch.Tensor) and found.device.type != "meta"
    return found is None or has_data or isinstance(found, values.Odd)
