"""That what is noticed where a submission runs still is: a call of our own, which does all of it.

It makes a banned call, writes to one of its inputs, leaves its mode, lies on another device, and
multiplies once; and all that must be told. Its name and what it returns are drawn, so that whoever
answers in the place of our code has to run it.
"""

import secrets
from collections.abc import Collection
from dataclasses import dataclass, field, replace

import torch

from autograder.asking.answers import read_answer
from autograder.asking.student import Question
from autograder.sandbox import refusal, wire
from autograder.sandbox.how import How
from autograder.sandbox.modules import Blueprint
from autograder.sandbox.session import Answer

_SOURCE = """
class {name}(__import__("torch").nn.Module):
    def answer(self, x, y):
        import torch
        x.add_(1).mm(x)
        self.training = True
        try:
            {call}
        except BaseException:
            return x, torch.ones(1), {number}
"""
_TOLD = Answer(
    None, changed=(0,), elsewhere=(True, False, False), mode_changed=True, multiplications=1
)


@dataclass
class Proof:
    """A call of which much is to be told, to be asked for any number of times.

    call: what it makes of what is banned; None where nothing banned is noticed while it runs.
    """

    call: str | None
    banned: frozenset[str]
    _number: int = field(default=0, init=False)
    _question: Question = field(default=Question(""), init=False)

    @classmethod
    def of(cls, banned: Collection[str]) -> "Proof":
        """For these names."""
        return cls(refusal.proof(banned), frozenset(banned))

    def frames(self) -> tuple[bytes, bytes]:
        """What to send: a cell, and a question. Each has an answer."""
        name, self._number = f"_{secrets.token_hex(4)}", secrets.randbits(32)
        source = _SOURCE.format(
            name=name, number=self._number, call=self.call or "raise ValueError"
        )
        cell = wire.encode({"op": "cell", "name": name, "source": source}, {})
        # Not by its forward: a hook for all modules is no offence.
        target, inputs = Blueprint(name, method="answer"), (torch.ones(1, 1), torch.ones(1))
        self._question = Question(target, inputs, how=How(elsewhere=True, work=True))
        return cell, self._question.frame

    def holds(self, reply: wire.Header, tensors: wire.Tensors) -> bool:
        """Whether the answer to the question is the right one. Raises what reading one does."""
        noticed = reply["banned"]
        answer = read_answer(reply, tensors, self._question)
        return (
            bool(noticed) == bool(self.call)
            and self.banned.issuperset(noticed)
            and isinstance(answer.value, tuple)
            and len(answer.value) == 3
            and type(answer.value[2]) is int  # who compares a tensor gets a tensor
            and answer.value[2] == self._number
            and replace(answer, value=None) == _TOLD
        )
