"""Modules behind the walls: made for a question, loaded by name, looked at afterwards."""

import pytest
import torch
from torch import nn

from autograder.asking.student import StudentError
from autograder.checking.wrong import Wrong
from autograder.course.result import Verdict
from autograder.sandbox.modules import Blueprint
from autograder.sandbox.session import Watched


def every_question(agree, x):
    layer = agree.module("Layer", 6, 3)
    agree.parameters(layer)
    agree.parameters(layer, after=(x,))
    agree(layer, x, read=("seen",))
    agree(layer, x, mask=torch.ones(3, dtype=torch.bool), cotangents=(torch.ones(2, 3).double(),))
    agree(layer.of("double"), x)
    agree(layer.in_float32(), x.float())
    agree(layer, x, elsewhere=True)
    agree(layer.with_weights({"inner.bias": torch.zeros(3)}), x)
    agree(agree.module("Layer", 6, 3, dropout=1.0).training(), x)
    agree("repeat", layer.training(), x, 2, watch=("inner",))
    agree(layer.training(), x, before={0: 2 * x, "mask": torch.ones(3, dtype=torch.bool)})
    agree("repeat", layer, x, 2, before={1: 2 * x}, watch=("inner",), elsewhere=True)
    agree.raises(ValueError, agree.module("Layer", 5, 3), x, naming=(5,))
    agree.unchanged(layer, x)


def test_a_right_module_passes(asking, x):
    agree = asking()
    every_question(agree, x)
    assert agree.notes == []


def test_what_a_module_keeps_from_a_call_shows_in_the_next(asking, x):
    agree = asking(
        "self.seen = x.detach() * 2", "self.seen = x = x if self.seen is None else self.seen"
    )
    layer = agree.module("Layer", 6, 3)
    agree(layer, x)
    agree(layer, x, before={"mask": torch.ones(3, dtype=torch.bool)})
    with pytest.raises(Wrong, match=r"Layer\(6, 3\)\(x \(2, 6\)\), after a call with another x: "):
        agree(layer, x, before={0: 2 * x})


def test_what_a_call_adds_to_the_state_dict_shows_after_it(asking, x):
    agree = asking("self.seen = x.detach() * 2", "self.register_buffer('kept', x.detach() * 2)")
    layer = agree.module("Layer", 6, 3)
    agree.parameters(layer)
    with pytest.raises(Wrong, match=r"Layer\(6, 3\), after a call: not asked for: kept"):
        agree.parameters(layer, after=(x,))


def test_parameters_that_are_wrong_from_the_start_are_told_of_those_alone(asking, x):
    agree = asking("self.inner = ", "self.more = torch.nn.Linear(1, 1)\n        self.inner = ")
    layer = agree.module("Layer", 6, 3)
    agree.parameters(layer, after=(x,))
    with pytest.raises(Wrong, match="not asked for: more"):
        agree.parameters(layer)


def test_what_a_function_keeps_in_a_module_shows_in_the_next(asking, x):
    agree = asking("y = layer.inner(x)", "y = layer.y = getattr(layer, 'y', layer.inner(x))")
    layer = agree.module("Layer", 6, 3)
    agree("repeat", layer, x, 2)
    agree("repeat", layer, x, 2, before={2: 3})
    with pytest.raises(Wrong, match="after a call with another x: "):
        agree("repeat", layer, x, 2, before={1: 2 * x})


BESIDE = {
    "a name": "self.inner = self.again = nn.Linear(d_in, d_out)",
    "unused": "self.inner, self.more = nn.Linear(d_in, d_out), nn.Linear(1, 1)",
    "a buffer": 'self.register_buffer("eps", torch.ones(1)); self.inner = nn.Linear(d_in, d_out)',
}


@pytest.mark.parametrize("line", BESIDE.values(), ids=BESIDE)
def test_what_a_module_has_besides_is_nothing_to_what_it_gives(asking, x, line):
    agree = asking("self.inner = nn.Linear(d_in, d_out)", line)
    layer = agree.module("Layer", 6, 3)
    agree(layer, x, cotangents=(torch.ones(2, 3).double(),))
    agree("repeat", layer, x, 2)
    with pytest.raises(Wrong, match="not asked for: "):
        agree.parameters(layer)


def test_what_a_module_draws_besides_is_zero():
    """So a bias that was not asked for changes nothing, and a gain stays what it is."""

    class More(nn.Linear):
        def __init__(self):
            super().__init__(2, 1)
            self.drawn, self.gain = nn.Parameter(torch.randn(1)), nn.Parameter(torch.ones(2))
            self.again = self.weight

    made = Blueprint("More", weights={"weight": torch.full((1, 2), 3.0)}).make({"More": More})
    left = {name: each.tolist() for name, each in made.state_dict().items()}
    assert left == {
        "weight": [[3.0, 3.0]],
        "bias": [0.0],
        "drawn": [0.0],
        "gain": [1.0, 1.0],
        "again": [[3.0, 3.0]],
    }


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("self.inner", "self.outer", "missing: inner.weight, inner.bias; not asked for: outer"),
        ("Linear(d_in, d_out)", "Linear(d_in, d_out, bias=False)", "missing: inner.bias"),
        ("Linear(d_in, d_out)", "Linear(d_out, d_in)", "expected shape (3, 6), got shape (6, 3)"),
        (", persistent=False", "", "not asked for: table"),
        ("x.detach() * 2", "x.detach() * 3", "self.seen"),
        ("x.detach() * 2", "None", "self.seen"),
        ("self.drop(self.inner(x))", "self.inner(x).detach()", "gradient"),
        ("return x * 2", "return x * 3", "Layer(6, 3).double(x (2, 6))"),
        ("y * mask", "y * mask * 2", "Layer(6, 3)(x (2, 6), mask (3,))"),
        ("y * mask", "(y * mask).mT", "expected shape (2, 3), got shape (3, 2)"),  # has gradients
        ("+ self.table", "+ self.table.double()", "dtype"),
        ("self.drop(self.inner(x))", "self.inner(x)", "Layer(6, 3, dropout=1.0).train()"),
        ("layer.train(was)", "pass", "another mode"),
        ("raise ValueError(", "raise TypeError(", "expected a ValueError, got TypeError"),
        ("d_in {d_in} is odd", "odd", "the message of its ValueError lacks 5"),
        ("if d_in % 2", "if False", "expected a ValueError, got RuntimeError"),
    ],
)
def test_what_is_wrong_is_told(asking, x, old, new, said):
    agree = asking(old, new)
    with pytest.raises((Wrong, StudentError)) as told:
        every_question(agree, x)
    assert said in str(told.value)
    if isinstance(told.value, StudentError):
        assert told.value.verdict is Verdict.WRONG


def test_words_that_leave_something_out_have_a_line(asking, x):
    agree = asking("d_in {d_in} is odd", "odd")
    with pytest.raises(Wrong) as told:
        agree.raises(ValueError, agree.module("Layer", 5, 3), x, naming=(5,))
    failure = told.value.failure
    assert failure.message == "The message of its ValueError lacks 5."
    assert "raise ValueError(" in failure.source


def test_writing_to_an_input_is_found(asking, x):
    agree = asking("return y if", "x += 1; return y if")
    with pytest.raises(Wrong, match="changes its input x"):
        agree.unchanged(agree.module("Layer", 6, 3), x)


def test_frozen_weights_are_found(asking, x):
    agree = asking("self.seen = None", "self.inner.bias.requires_grad_(False); self.seen = None")
    with pytest.raises(Wrong, match=r"no gradient|gradient of inner.bias"):
        agree(agree.module("Layer", 6, 3), x, cotangents=(torch.ones(2, 3).double(),))


LIES = [
    "return {'inner.weight': 1}",
    "return {'inner.weight': torch.ones(3, 6).to_sparse(), 'inner.bias': torch.ones(3)}",
    "return []",
    "return {'inner.weight': torch.ones(3, 6, device='meta'), 'inner.bias': torch.ones(3)}",
    "return {'inner.weight': torch.ones(3, 6).half(), 'inner.bias': torch.ones(3)}",
    "return None",
]


@pytest.mark.parametrize("lie", LIES)
def test_a_state_dict_that_lies_is_the_students_own_fault(asking, x, lie):
    agree = asking("def double(", f"def state_dict(self, *a, **k): {lie}\n    def double(")
    with pytest.raises((Wrong, StudentError)):
        agree.parameters(agree.module("Layer", 6, 3))


def test_a_table_made_on_the_wrong_device_is_found(asking, x):
    agree = asking('self.register_buffer("table", torch.ones(d_out), persistent=False)',
                   "self.table = torch.ones(d_out)")  # fmt: skip
    layer = agree.module("Layer", 6, 3)
    agree(layer, x)
    with pytest.raises(StudentError, match="same device"):
        agree(layer, x, elsewhere=True)


def test_two_names_for_one_parameter_are_found(asking):
    twice = "self.inner = nn.Linear(d_in, d_out); self.inner.bias = nn.Parameter(torch.ones(3))"
    agree = asking("self.inner = nn.Linear(d_in, d_out)", twice)
    agree.parameters(agree.module("Layer", 6, 3))
    shared = "self.inner = nn.Linear(d_in, d_out); self.inner.bias = self.inner.weight"
    agree = asking("self.inner = nn.Linear(d_in, d_out)", shared)
    with pytest.raises(Wrong, match=r"expected shape \(3,\)"):
        agree.parameters(agree.module("Layer", 6, 3))


def test_calls_of_a_submodule_are_watched(asking, x):
    agree = asking()
    layer = agree.module("Layer", 6, 3)
    (seen,) = agree("repeat", layer, x, 2, watch=("inner",)).watched
    assert seen == Watched(calls=1, kept_gradient=False, trained=False)
    (seen,) = agree(layer.training(), x, watch=("inner",)).watched
    assert seen == Watched(calls=1, kept_gradient=True, trained=True)


def test_growing_numbers_of_operations_are_noted(asking, x):
    loop = "self.drop(torch.stack([self.inner(row) for row in x]))"
    agree = asking("self.drop(self.inner(x))", loop)
    layer = agree.module("Layer", 6, 3)
    agree.operations(layer, [x], [x.repeat(5, 1)], "the batch")
    assert len(agree.notes) == 1
    assert "grows with the batch" in agree.notes[0]


KEEPING = """
kept = {}

def known(x):
    if len(x) not in kept:
        kept[len(x)] = [row + 1 for row in x]
    return x
"""


def test_what_is_kept_of_an_earlier_call_is_no_growing_number(asking, x):
    """The small input was seen before, and the larger one is made once."""
    kept = "self.drop(self.inner(known(x)))"
    agree = asking("self.drop(self.inner(x))", kept, more=KEEPING)
    layer = agree.module("Layer", 6, 3)
    agree(layer, x)
    agree.operations(layer, [x], [x.repeat(5, 1)], "the batch")
    assert not agree.notes


def test_a_module_that_is_not_there(asking, x):
    agree = asking("class Layer", "class Other")
    with pytest.raises(StudentError, match="Layer is not defined") as told:
        agree(agree.module("Layer", 6, 3), x)
    assert told.value.verdict is Verdict.MISSING


def test_a_dead_fork_gets_the_weights_again(asking, x):
    agree = asking(more="\ndef end(): import os; os._exit(1)\n")
    layer = agree.module("Layer", 6, 3)
    agree(layer, x)
    with pytest.raises(StudentError):
        agree._student.call("end")
    agree(layer, x)
