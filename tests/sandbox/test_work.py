"""The work of a call is counted, whichever product it is, with and without gradients."""

import pytest
import torch

from autograder.asking import Question
from autograder.asking.answers import read_answer
from autograder.sandbox import walls, wire
from autograder.sandbox.confine import Limits
from autograder.sandbox.host import Server
from autograder.sandbox.how import How
from autograder.sandbox.session import Session

LIMITS = Limits(wall_seconds=8, call_seconds=4, memory_mib=256, processes=1, output_bytes=1 << 20)
X, Y = torch.ones(2, 3, 5), torch.ones(2, 5, 7)
WAYS = ("torch.enable_grad()", "torch.no_grad()", "torch.inference_mode()")
SOURCE = """
import torch
import torch.nn.functional as F
from torch import nn

def f(x, y):
    with {way}:
        return {value}
"""


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("value", "multiplications"),
    [
        ("x @ y", 2 * 3 * 5 * 7),
        ("torch.matmul(x[0], y)", 2 * 3 * 5 * 7),
        ("torch.einsum('bik,bkj->bji', x, y)", 2 * 3 * 5 * 7),
        ("torch.bmm(x, y).softmax(-1)", 2 * 3 * 5 * 7),
        ("F.linear(x, y[0].T)", 2 * 3 * 5 * 7),
        ("nn.Linear(5, 7)(x)", 2 * 3 * 5 * 7),
        ("nn.Sequential(nn.Linear(5, 4), nn.ReLU(), nn.Linear(4, 7))(x)", 6 * 5 * 4 + 6 * 4 * 7),
        ("x @ y[0, :, 0]", 2 * 3 * 5),
        ("x[0] @ y[0, :, 0]", 3 * 5),
        ("torch.addmv(x[0, :, 0], x[0], y[0, :, 0])", 3 * 5),
        ("x[0, 0] @ y[0, :, 0]", 5),
        ("torch._int_mm(*2 * [torch.ones(32, 32, dtype=torch.int8)])", 32**3),
        ("torch.vdot(x[0, 0], y[0, :, 0])", 5),
        ("torch.baddbmm(x @ y, x, y)", 2 * 2 * 3 * 5 * 7),
        ("torch.mm(x[0], y[0], out=torch.empty(3, 7))", 3 * 5 * 7),
        ("torch.addbmm(torch.ones(3, 7), x, y)", 2 * 3 * 5 * 7),
        ("torch.ones(3, 7).addmm_(x[0], y[0])", 3 * 5 * 7),
        ("torch.ones(3, 7).addbmm_(x, y)", 2 * 3 * 5 * 7),
        ("torch.ones(2, 3, 7).baddbmm_(x, y)", 2 * 3 * 5 * 7),
        ("torch.ones(3).addmv_(x[0], y[0, :, 0])", 3 * 5),
        ("F.scaled_dot_product_attention(x, x, x)", 2 * 2 * 3 * 3 * 5),
        ("x * x + x.softmax(-1)", 0),
    ],
)
def test_products_are_counted(way, value, multiplications):
    session = Session()
    assert session.cell("f", SOURCE.format(way=way, value=value)) is None
    answer = session.call("f", (X, Y), {}, How(work=True))
    assert answer.failure is None
    assert answer.multiplications == multiplications
    assert session.call("f", (X, Y), {}).multiplications == 0  # where nobody asks


def test_it_is_counted_on_another_device():
    session = Session()
    session.cell("f", SOURCE.format(way=WAYS[2], value="x @ y"))
    answer = session.call("f", (X, Y), {}, How(work=True, elsewhere=True))
    assert (answer.multiplications, answer.elsewhere) == (2 * 3 * 5 * 7, (True,))


@pytest.fixture(scope="module")
def server():
    with Server(walls.choose(), LIMITS) as found:
        yield found


def behind(server, value, way, banned=()):
    """What a fork replies to a question about `f`, with the work counted."""
    question = Question("f", (X, Y), how=How(work=True))
    with server.fork() as fork:
        for header in (
            {"op": "start", "banned": list(banned), "banned_in": {}, "modules": {}},
            {"op": "cell", "name": "f", "source": SOURCE.format(way=way, value=value)},
        ):
            fork.send(wire.encode(header, {}))
            assert not fork.receive(60.0)[0].get("failure")
        fork.send(question.frame)
        return fork.receive(60.0), question


@pytest.mark.parametrize("way", WAYS)
def test_the_number_comes_through_the_walls(server, way):
    (reply, tensors), question = behind(server, "nn.Linear(5, 7)(x)", way)
    assert read_answer(reply, tensors, question).multiplications == 2 * 3 * 5 * 7


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "value",
    [
        "F.scaled_dot_product_attention(x, x, x)",
        "torch._C._nn.scaled_dot_product_attention(x, x, x)",
        "torch.ops.aten.scaled_dot_product_attention(x, x, x)",
        "nn.MultiheadAttention(5, 1)(x, x, x)[0]",
    ],
)
def test_a_banned_call_is_found_while_work_is_counted(server, way, value):
    banned = ["torch.nn.functional.scaled_dot_product_attention", "torch.nn.MultiheadAttention"]
    (reply, _), _ = behind(server, value, way, banned)
    assert reply["banned"]
    assert "is not allowed here" in reply["failure"]["message"]
