"""That banned calls are still noticed where a submission runs: one of our own must be refused.

Its name and what it returns are drawn, so that whoever answers in the place of our code has to run
it; and what is said to be noticed must be what was called.
"""

import secrets
from collections.abc import Collection
from dataclasses import dataclass

import torch

from autograder.asking.student import Question
from autograder.sandbox import refusal, wire

_SOURCE = """
def {name}(x):
    import torch
    try:
        {call}
    except BaseException:
        return {number}
"""


@dataclass
class Proof:
    """A banned call, to be asked for any number of times."""

    call: str
    banned: frozenset[str]
    _number: int = 0

    @classmethod
    def of(cls, banned: Collection[str]) -> "Proof | None":
        """For these names; None when nothing among them is noticed where it runs."""
        call = refusal.proof(banned)
        return None if call is None else cls(call, frozenset(banned))

    def frames(self) -> tuple[bytes, bytes]:
        """What to send: a cell, and a question. Each has an answer."""
        name, self._number = f"_{secrets.token_hex(4)}", secrets.randbits(32)
        source = _SOURCE.format(name=name, number=self._number, call=self.call)
        cell = wire.encode({"op": "cell", "name": name, "source": source}, {})
        return cell, Question(name, (torch.ones(1, 1),)).frame

    def holds(self, reply: wire.Header, tensors: wire.Tensors) -> bool:
        """Whether the answer to the question is the right one. Raises what reading one does."""
        noticed = reply["banned"]
        told = bool(noticed) and self.banned.issuperset(noticed)
        return told and wire.unpack(reply["value"], tensors) == self._number
