"""One question after each of many cells: what is told of which, and where it ends."""

import pytest
import torch

from autograder.asking import Cell, Question, RemoteStudent, StudentError, ask_after_each
from autograder.course.result import Verdict
from autograder.sandbox import walls
from autograder.sandbox.confine import Limits
from autograder.sandbox.host import Server
from autograder.sandbox.modules import Blueprint

LIMITS = Limits(wall_seconds=20, call_seconds=1, memory_mib=256, processes=1, output_bytes=1 << 20)


@pytest.fixture
def student():
    with (
        Server(walls.choose(), LIMITS) as server,
        RemoteStudent(
            server,
            [Cell("one", "def f(x): return x")],
            modules={},
            banned=[],
            banned_in={},
            defined_in={"f": "one"},
        ) as student,
    ):
        yield student


def cells(*bodies):
    return [Cell("one", f"def f(x): {body}") for body in bodies]


def question(size=1):
    return Question("f", (torch.ones(size, dtype=torch.float64),))


@pytest.mark.parametrize("size", [1, 20_000], ids=["ahead", "too_large_to_send_ahead"])
def test_each_answer_is_that_of_its_cell(student, size):
    bodies = [f"return {number} * x" for number in range(40)]
    got = [
        each.value[0].item()
        for each in ask_after_each(student, cells(*bodies), question(size), 1.0)
    ]
    assert got == list(range(40))


def test_what_raises_has_no_answer_and_the_others_theirs(student):
    one, *others = cells("return x", "raise KeyError('a')", "return 2 * x")
    texts = [one, Cell("one", "1 / 0"), *others]
    first, none, raised, last = ask_after_each(student, texts, question(), 1.0)
    assert first.value.item() == 1
    assert isinstance(raised, StudentError)
    assert raised.failure.type == "KeyError"
    assert isinstance(none, StudentError)  # not what the cell before it would have answered
    assert none.verdict is Verdict.MISSING
    assert last.value.item() == 2


@pytest.mark.parametrize("end", ["import os; os._exit(3)", "any(iter(int, 1))"])
def test_the_end_of_the_process_is_that_of_the_first_untold(student, end):
    found = ask_after_each(student, cells("return x", end, "return 2 * x"), question(), 1.0)
    assert next(found).value.item() == 1
    with pytest.raises(StudentError) as error:
        next(found)
    assert error.value.verdict in (Verdict.ERROR, Verdict.TIMEOUT)
    assert error.value.failure is None


def test_what_ends_the_process_when_it_is_defined_is_noticed_too(student):
    texts = [Cell("one", "import os; os._exit(3)"), *cells("return x")]
    with pytest.raises(StudentError):
        next(ask_after_each(student, texts, question(), 1.0))


def test_what_does_not_end_is_stopped_and_its_process_goes_on(student):
    endless = cells("return x", "\n    while True: pass", "return 2 * x")
    first, stopped, last = ask_after_each(student, endless, question(), 0.1)
    assert first.value.item() == 1
    assert stopped.failure.type == "Overdue"
    assert last.value.item() == 2


def made_for(student, *bodies):
    """What is told of the module that a function gets, after each of its bodies."""
    source = (
        "import torch\nMADE = []\nclass M(torch.nn.Linear):\n"
        "    def __init__(self): super().__init__(1, 1); MADE.append(self)"
    )
    student.run()
    student.run_cell(Cell("module", source))
    asked = Question("f", (Blueprint("M", train=True),))
    return [each.value for each in ask_after_each(student, cells(*bodies), asked, 1.0)]


def test_a_module_serves_again_until_a_call_has_changed_it(student):
    count = "return len(MADE), x.training, hasattr(x, 'left')"
    assert made_for(student, count, count, count) == [(1, True, False)] * 3
    assert made_for(student, f"x.left = x.eval(); {count}", count)[1] == (1, True, False)
    other = "x.weight.data = torch.ones(1, 1)"
    for change in "x.weight.data.zero_()", "x.weight.detach().zero_()", other:
        told = made_for(student, count, f"{change}; {count}", count)
        assert [made for made, *_ in told] == [1, 1, 2], change


LAYER = """
class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        MADE.append(self)
        self.width = width()

    def helped(self):
        return {helped}

    def forward(self, x):
        return {times} * x * self.helped(), self.width, len(MADE)


def width():
    return {width}
"""


def test_a_module_that_is_asked_serves_again_until_it_may_be_made_otherwise(student):
    student.run()
    student.run_cell(Cell("first", "import torch\nMADE = []"))
    usual = {"helped": 1, "times": 1, "width": 1}
    texts = [
        LAYER.format(**{**usual, **change})
        for change in ({}, {"times": 2}, {"helped": 5}, {"width": 7}, {"times": 3, "width": 7})
    ]
    one = torch.ones((), dtype=torch.float64)
    asked = Question(Blueprint("M"), (one,))
    found = ask_after_each(student, [Cell("one", each) for each in texts], asked, 1.0)
    told = [tuple(map(int, each.value)) for each in found]
    assert told == [(1, 1, 1), (2, 1, 1), (5, 1, 1), (1, 7, 2), (3, 7, 2)]


def test_what_is_refused_for_one_name_is_not_for_another():
    norms = "import torch\ndef f(x): return torch.layer_norm(x, (2,))\ndef g(x): return f(x)"
    with (
        Server(walls.choose(), LIMITS) as server,
        RemoteStudent(
            server,
            [Cell("one", norms)],
            modules={},
            banned=[],
            banned_in={},
            banned_while={"f": ["torch.layer_norm"]},
            defined_in={"f": "one", "g": "one"},
        ) as student,
    ):
        for name, refused in (("f", True), ("f", True), ("g", False), ("f", True)):
            told = Verdict.PASSED
            try:
                student.call(name, torch.ones(2))
            except StudentError as error:
                told = error.verdict
            assert told is (Verdict.FORBIDDEN if refused else Verdict.PASSED), name
