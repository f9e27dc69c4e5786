"""Weights come into a module by name, and what it has besides is no matter of chance."""

import torch
from torch import nn

from autograder.handout.checks.weights import drawn_weights, load


class More(nn.Linear):
    def __init__(self):
        super().__init__(2, 1)
        self.gain, self.again = nn.Parameter(torch.ones(2)), self.weight
        self.register_buffer("eps", torch.tensor(1e-5))


def test_what_a_module_has_besides_is_left_and_zero_where_it_is_drawn():
    module = More()
    weights = drawn_weights({"weight": (1, 2)}, 3)
    assert load(module, weights, More) is None
    assert torch.equal(module.again, weights["weight"].float())
    assert module.bias.tolist() == [0.0]
    assert module.gain.tolist() == [1.0, 1.0]
    assert module.eps == torch.tensor(1e-5)


def test_one_parameter_under_two_names_that_are_asked_for_is_told():
    weights = drawn_weights({"weight": (1, 2), "again": (1, 2)}, 3)
    assert load(More(), weights, More) in ("weight", "again")
