"""Modules and functions of a submission, to be asked behind the walls."""

import pytest
import torch

from autograder.asking.remote import RemoteStudent
from autograder.asking.student import Cell, LocalStudent
from autograder.checking.agree import Agree
from autograder.checking.weights import Weights
from autograder.sandbox import walls
from autograder.sandbox.confine import Limits
from autograder.sandbox.host import Server

LIMITS = Limits(wall_seconds=8, call_seconds=2, memory_mib=256, processes=1, output_bytes=1 << 20)
IMPORTS = Cell("imports", "import torch\nfrom torch import nn")
RIGHT = """
class Layer(nn.Module):
    def __init__(self, d_in, d_out, dropout=0.0):
        super().__init__()
        if d_in % 2:
            raise ValueError(f"d_in {d_in} is odd")
        self.inner = nn.Linear(d_in, d_out)
        self.drop = nn.Dropout(dropout)
        self.register_buffer("table", torch.ones(d_out), persistent=False)
        self.seen = None

    def forward(self, x, mask=None):
        self.seen = x.detach() * 2
        y = self.drop(self.inner(x)) + self.table
        return y if mask is None else y * mask

    def double(self, x):
        return x * 2


def repeat(layer, x, times):
    was = layer.training
    layer.eval()
    with torch.no_grad():
        y = layer.inner(x)
    layer.train(was)
    return y * times


def scale(x, times):
    return x * times
"""
PARAMETERS = {
    "Layer.forward": ["x", "mask"],
    "Layer.double": ["x"],
    "repeat": ["layer", "x", "times"],
    "scale": ["x", "times"],
}


@pytest.fixture(scope="module")
def server():
    with Server(walls.choose(), LIMITS) as found:
        yield found


@pytest.fixture(scope="module")
def x():
    return torch.arange(12.0, dtype=torch.float64).reshape(2, 6) / 7


@pytest.fixture
def asking(server):
    """Gives an `agree` for a submission that is RIGHT with something replaced."""
    opened = []

    def close():
        while opened:
            opened.pop().__exit__(None, None, None)

    def ask(old="", new="", more=""):
        close()  # a server has one submission at a time
        source = RIGHT.replace(old, new, 1) + more
        assert not old or source != RIGHT
        student = RemoteStudent(
            server,
            [IMPORTS, Cell("one", source, solution=True)],
            modules={},
            banned=(),
            banned_in={},
            defined_in=dict.fromkeys(("Layer", "repeat", "scale"), "one"),
        )
        opened.append(student)
        reference = LocalStudent([IMPORTS, Cell("one", RIGHT)], {})
        weights = Weights(reference, "a secret of the test", "none")
        return Agree(student.__enter__(), reference, 1e-12, PARAMETERS, weights)

    yield ask
    close()
