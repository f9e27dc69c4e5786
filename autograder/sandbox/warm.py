"""What every fork does, done in the server first, and often.

Python rewrites what runs often into a faster form, in place; torch and the linker prepare much at
its first use. In a fork that takes time again for each submission, and each page of memory that is
written to is copied first. So the server answers questions itself until all of that is done.
"""

import socket
from collections.abc import Iterator

import torch

from autograder.sandbox import calls, fork, refusal, tamper, values, wire
from autograder.sandbox.how import SAID
from autograder.sandbox.made import Modules
from autograder.sandbox.refusal import Refusal
from autograder.sandbox.session import Session

_TIMES = 3  # of some twenty questions: Python counts to 8 before it rewrites a function
_CELL = """
import math
import torch

def mix(x, y, where=None):
    values = x @ y.transpose(-2, -1) / math.sqrt(x.shape[-1])
    if where is not None:
        values = values.masked_fill(~where, float("-inf"))
    shares = torch.softmax(values, dim=-1)
    return shares @ y, shares

class Module(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.linear = torch.nn.Linear(n, n)

    def forward(self, x):
        return self.linear(x).relu().mean(-1, keepdim=True) + x.sum()
"""


def up() -> None:
    """Answer questions of every kind, of code of our own."""
    torch.ones(1, dtype=torch.float16).exp()  # looks at the processor, in files outside the walls
    refusal.operations()
    tamper.known()
    refusal.stand_ins()
    for processes in (False, True):
        calls.packed(processes)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        there, back = wire.Incoming(theirs), wire.Incoming(ours)
        for _ in range(_TIMES):
            session, modules = Session(), Modules()
            session.cell("warm up", _CELL)
            refused = Refusal()
            with refused.also(refusal.every_kind()):
                pass
            refused.give_back()
            for question in _questions():
                wire.send(ours, question)
                header, tensors = there.receive(wire.MAX_BYTES)
                reply = fork.answer(session, header, tensors, {}, wire.MAX_BYTES, modules)
                wire.send(theirs, reply)
                back.receive(wire.MAX_BYTES)


def _questions() -> Iterator[bytes]:
    """A cell, a value, and calls that are looked at in every way."""
    yield wire.encode({"op": "cell", "name": "value", "source": "value = [1, 2.5]"}, {})
    yield wire.encode({"op": "get", "name": "value"}, {})
    x, y = torch.ones(2, 3, dtype=torch.float64), torch.ones(2, 3, dtype=torch.float64)
    where = torch.ones(2, 2, dtype=torch.bool)
    made: wire.Header = {"name": "Module", "args": [{"plain": 3}], "kwargs": {}, "weights": None}
    module = {"blueprint": made | {"method": "forward", "train": False, "dtype": "float64"}}
    for how in ("", "", "", "elsewhere", "work", "count", "cotangents"):
        for target, inputs in (("mix", (x, y)), ("mix", (x, y, where)), (module, (x,))):
            packer = values.Packer(wire.MAX_BYTES)
            grad = how == "cotangents"
            given = [each.clone().requires_grad_(grad and each is not where) for each in inputs]
            header = {
                "op": "call",
                "target": target,
                "args": [packer.pack(each) for each in given],
                "kwargs": {},
                "cotangents": [packer.pack(torch.ones_like(x[:, :1]))] if grad else None,
                **{name: name == how for name in SAID},
                "read": [],
                "watch": [],
                "before": [],
            }
            yield wire.encode(header, packer.tensors)
