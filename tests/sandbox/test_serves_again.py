"""A module that was made for one question serves the next one, unless anything may tell."""

import pytest
import torch
from torch import nn

from autograder.asking.remote import RemoteStudent
from autograder.asking.student import Cell, StudentError
from autograder.course.result import Verdict
from autograder.sandbox.made import Modules
from autograder.sandbox.modules import Blueprint
from autograder.sandbox.session import Session

ATTENTION = "torch.nn.functional.scaled_dot_product_attention"
X = torch.arange(3, dtype=torch.float64)
WEIGHTS = {"weight": torch.ones(3, dtype=torch.float64)}
LAYER = Blueprint("Layer", weights=WEIGHTS)
SOURCE = """
import types

import torch
from torch import nn

torch_softmax, made = torch.softmax, []


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        made.append(self)
        self.weight = nn.Parameter(torch.ones(3))
        self.register_buffer("table", torch.ones(3), persistent=False)
        self.size, self.sizes, self.softmax = 3, (3, 4), torch_softmax
        self.plain = torch.ones(3)
        {constructor}

    def forward(self, x):
        {call}
        return x * self.weight + self.table


def count(x):
    return torch.tensor([float(len(made))])


def are_two(one, other):
    return torch.tensor([float(one is not other)])
"""


@pytest.fixture
def asked():
    """Gives how many modules were made, and what was given, for a layer asked so many times."""

    def asked(constructor="pass", call="pass", times=3):
        session, kept = Session(), Modules()
        assert not session.cell("one", SOURCE.format(constructor=constructor, call=call))
        answers = [session.call(LAYER, [X], {}, kept=kept) for _ in range(times)]
        assert not any(each.failure for each in answers)
        made = session.call("count", [X], {}).value
        return int(made), [each.value for each in answers]

    return asked


def test_it_is_made_once(asked):
    made, values = asked()
    assert made == 1
    assert all(torch.equal(each, X + 1) for each in values)


@pytest.mark.parametrize(
    "constructor",
    [
        "self.seen = []",
        "self.seen = {}",
        "self.seen = (1, [])",
        "self.seen = set()",
        "self.seen = [].append",
        "self.seen = types.SimpleNamespace()",
        "self.seen = lambda x: self",
        "self.seen = lambda x, seen=[]: seen",
        "self.seen = self.forward",
        "self.__dict__['hidden'] = nn.Linear(1, 1)",
        "self.large = torch.ones(1 << 18)",
        "self.meta = torch.ones(1, device='meta')",
        "self.weight.register_hook(print)",
        "self.weight.grad = torch.ones(3)",
    ],
)
def test_what_may_change_unseen_is_made_anew(asked, constructor):
    made, _ = asked(constructor)
    assert made == 3


@pytest.mark.parametrize(
    ("call", "made"),
    [
        ("self.size = 4", 1),
        ("self.kept = [x]", 1),
        ("self.register_forward_hook(lambda *_: torch.zeros(3))", 1),
        ("self.register_buffer('more', x)", 1),
        ("self.table = self.table + 1", 1),
        ("self.eval() if self.training else self.train()", 1),
        ("self.table.add_(1)", 3),
        ("self.weight.data.mul_(2)", 3),
        ("self.weight.data = self.weight.data.float()", 3),
        ("self.weight.requires_grad_(False)", 3),
        ("self.weight.grad = torch.ones(3).double()", 3),
        ("self.weight.register_hook(print)", 3),
        ("self.plain.zero_()", 3),
    ],
)
def test_a_call_finds_nothing_of_an_earlier_one(asked, call, made):
    fresh = [asked(call=call, times=1)[1][0] for _ in range(3)]
    count, values = asked(call=call)
    assert count == made
    assert all(map(torch.equal, values, fresh))


def test_two_that_are_alike_are_two():
    session, kept = Session(), Modules()
    session.cell("one", SOURCE.format(constructor="pass", call="pass"))
    for _ in range(2):
        answer = session.call(
            "are_two", [LAYER, Blueprint("Layer", weights=WEIGHTS)], {}, kept=kept
        )
        assert answer.value == 1


def test_whoever_defines_it_anew_is_asked_for_it():
    session, kept = Session(), Modules()
    for call in ("pass", "x = x + 1"):
        session.cell("one", SOURCE.format(constructor="pass", call=call))
        value = session.call(LAYER, [X], {}, kept=kept).value
    assert torch.equal(value, X + 2)


def test_classes_of_one_name_are_not_confused():
    source = """
import torch

class Part(torch.nn.Module):
    def forward(self, x): return x + 100

def part():
    class Part(torch.nn.Module):
        def forward(self, x): return x + 1
    Part.__qualname__ = "Part"
    return Part()

class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(3))
        self.part = part()
    def forward(self, x): return self.part(x)
"""
    session, kept = Session(), Modules()
    assert not session.cell("one", source)
    for _ in range(2):
        assert torch.equal(session.call(LAYER, [X], {}, kept=kept).value, X + 1)


def test_in_another_mode_or_dtype_it_is_another():
    kept, names = Modules(), {"Layer": nn.Dropout}
    layer = Blueprint("Layer", (0.5,), weights={})
    ways = layer, layer.training(), layer.in_float32(), layer.with_weights({})
    modules = [kept.module(each, names) for each in ways]
    assert len({*map(id, modules)}) == len(ways)
    assert [kept.module(each, names) for each in ways] == modules


def test_a_banned_call_of_a_constructor_is_told_each_time(server):
    source = SOURCE.format(
        constructor="""
        try:
            torch.nn.functional.scaled_dot_product_attention(*[torch.ones(1, 2, 3)] * 3)
        except RuntimeError:
            pass""",
        call="pass",
    )
    empty = {"modules": {}, "banned_in": {}, "defined_in": {}}
    cells = [Cell("one", source, solution=True)]
    with RemoteStudent(server, cells, banned=[ATTENTION], **empty) as student:
        for _ in range(2):
            with pytest.raises(StudentError) as error:
                student.call(LAYER, X)
            assert error.value.verdict is Verdict.FORBIDDEN


def test_a_constructor_that_another_cell_defines_anew(server):
    inner = "class Inner(torch.nn.Module):\n    def forward(self, x): return x + {}\n"
    outer = """
class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(3))
        self.inner = Inner()
    def forward(self, x): return self.inner(x)
"""
    cells = [Cell("inner", f"import torch\n{inner.format(1)}", solution=True), Cell("outer", outer)]
    empty = {"modules": {}, "banned_in": {}, "defined_in": {}}
    with RemoteStudent(server, cells, banned=[], **empty) as student:
        assert torch.equal(student.call(LAYER, X).value, X + 1)
        student.run_cell(Cell("inner", inner.format(2), solution=True))
        assert torch.equal(student.call(LAYER, X).value, X + 2)
