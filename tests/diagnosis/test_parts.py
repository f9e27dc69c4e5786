"""The parts of two answers beside each other: what is there, and what any number can be."""

import pytest
import torch

from autograder.asking import Question
from autograder.diagnosis.evidence import Case
from autograder.diagnosis.parts import Parts, WrongParts
from autograder.diagnosis.symptoms.inquiry import Answered
from autograder.diagnosis.symptoms.slopes import belong
from autograder.sandbox.how import How
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


def test_of_which_kind_it_is_is_a_part_where_that_is_wrong():
    right = torch.ones(2, 3)
    one = torch.zeros(2, 3).double()
    assert shared(one, one, right) == 3  # two rows, and the kind
    assert shared(one, right.double(), right) == 1
    assert shared(one, torch.zeros(2, 3), right) == 0


def test_truth_values_and_whole_numbers_lie_in_rows_too():
    right = torch.tensor([[True, False], [False, False], [True, True]])
    other = torch.tensor([[False, True], [False, False], [True, True]])
    assert shared(~right, other, right) == 1
    assert shared(~right, right, right) == 0
    words = torch.tensor([[100000, 2], [3, 4]])
    assert shared(words + 1, words + torch.tensor([[1], [0]]), words) == 1


def test_gradients_of_an_answer_of_another_shape_are_not_judged():
    """Of which sum they are, nobody says: broadcast to what was asked for, it is another."""
    x = torch.tensor([[1.0], [2.0], [4.0]], dtype=torch.float64, requires_grad=True)
    by = torch.tensor([[1.0], [0.5], [0.25]], dtype=torch.float64)
    question = Question("f", (x,), how=How(cotangents=(by,)))

    class Asked:
        def __init__(self, axis: bool) -> None:
            self.axis = axis

        def ask(self, other):
            value = other.args[0] ** 2
            return Answer(value if self.axis else value.squeeze(1))

    case = Case("item", question, Answer(x.detach() ** 2), 1e-9)
    own = Answer(x.detach() ** 2, gradients=(2 * x.detach() * by,))
    assert belong(Answered(case, own), Asked(axis=True)) is True
    assert belong(Answered(case, own), Asked(axis=False)) is None


def test_shapes_are_those_of_what_is_looked_at():
    x, y = torch.ones(2, 3), torch.ones(4)
    case = Case("item", Question("f"), Answer(x), 1e-12)
    assert Parts(Answer((x, y)), case).shapes == {("value[0]", (2, 3)), ("value[1]", (4,))}
