"""The parts of two answers beside each other: what is there, and what any number can be."""

import pytest
import torch

from autograder.asking import Question
from autograder.diagnosis.evidence import Case
from autograder.diagnosis.parts import Parts, WrongParts
from autograder.sandbox.session import Answer


def shared(one, other, right):
    case = Case("item", Question("f"), Answer(right), 1e-12)
    return WrongParts(Answer(one), case).shared(Parts(Answer(other), case), 0.0)[0]


def test_a_part_that_is_not_there_is_no_zero():
    right, one = torch.ones(3, 2), torch.zeros(3, 2)
    assert shared(one, one, right) == 3
    assert shared(one, torch.zeros(2, 2), right) == 0
    assert shared(one, torch.zeros(3, 2).double(), right) == 0


@pytest.mark.filterwarnings("error")
def test_numbers_farther_apart_than_any_number_are_compared_without_a_word():
    largest = torch.full((1, 2), 1.7e308, dtype=torch.float64)
    assert shared(largest, -largest, torch.zeros(1, 2).double()) == 0
    assert shared(largest, largest, torch.zeros(1, 2).double()) == 1
