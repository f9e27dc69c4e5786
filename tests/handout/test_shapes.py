"""`with trace():` prints the road of shapes through modules, and leaves everything as it was."""

import pytest
import torch
from torch import nn

from autograder.handout.checks.shapes import trace


class Twice(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 4)])

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x)
        return x, mask


def test_each_call_has_a_line_below_the_one_that_makes_it(capsys):
    mask = torch.ones(2, 2, dtype=torch.bool)
    with trace():
        Twice()(torch.zeros(2, 3), mask=mask)
        nn.Embedding(5, 2)(torch.tensor([1, 2]))
    assert capsys.readouterr().out.splitlines() == [
        "Twice               (2, 3), mask bool (2, 2) → ((2, 4), bool (2, 2))",
        "  layers.0: Linear  (2, 3) → (2, 3)",
        "  layers.1: Linear  (2, 3) → (2, 4)",
        "Embedding           int64 (2,) → (2, 2)",
    ]


def test_the_road_ends_where_a_module_raises_and_the_error_goes_on(capsys):
    model = nn.Sequential(nn.Linear(3, 4), nn.Sequential(nn.Linear(5, 5)), nn.ReLU())
    with pytest.raises(RuntimeError, match="cannot be multiplied"), trace():
        model(torch.zeros(2, 3))
    assert capsys.readouterr().out.splitlines() == [
        "Sequential       (2, 3) → ✗",
        "  0: Linear      (2, 3) → (2, 4)",
        "  1: Sequential  (2, 4) → ✗",
        "    0: Linear    (2, 4) → ✗ RuntimeError",
    ]


def test_it_changes_nothing_and_stays_nowhere(capsys):
    model, x = Twice(), torch.randn(2, 3)
    call, before = nn.Module.__call__, model(x)[0]
    state, names = {**model.state_dict()}, {*vars(model)}
    with trace():
        assert torch.equal(model(x)[0], before)
    with pytest.raises(KeyError), trace():
        raise KeyError("another's")
    capsys.readouterr()
    assert nn.Module.__call__ is call
    assert {*vars(model)} == names
    assert model.state_dict().keys() == state.keys()
    model(x)
    assert capsys.readouterr().out == ""


def test_without_a_call_and_with_too_many_it_says_so(capsys):
    with trace():
        pass
    assert capsys.readouterr().out == "trace: no module was called.\n"
    module = nn.Identity()
    with trace():
        for _ in range(302):
            module(None)
    *lines, last = capsys.readouterr().out.splitlines()
    assert (len(lines), lines[0], last) == (300, "Identity  None → None", "and 2 more lines")
