"""A check may say how much work is enough, and a right answer that takes more is wrong."""

import pytest
import torch

from autograder.asking import LocalStudent
from autograder.asking.student import Cell
from autograder.checking import Agree, Weights, Wrong

X, Y = torch.ones(4, 3), torch.ones(3, 5)
ONCE = "def f(x, y):\n    return x @ y"
TWICE = "def f(x, y):\n    return (x @ y + x @ y) / 2"
ANEW = "def f(x, y):\n    return sum(x @ y for _ in range(5)) / 5"


def agreeing(source):
    reference = LocalStudent([Cell("one", ONCE)], {})
    student = LocalStudent([Cell("one", source)], {})
    weights = Weights(reference, "a secret of the test", "none")
    return Agree(student, reference, 1e-6, {"f": ["x", "y"]}, weights)


@pytest.mark.parametrize("source", [ONCE, TWICE])
def test_as_much_as_is_allowed_is_right(source):
    agreeing(source)("f", X, Y, most_work=2)


def test_more_is_told_in_numbers():
    agree = agreeing(ANEW)
    agree("f", X, Y)  # the answer is right
    words = "its products of matrices take 300 multiplications, and 120 are enough"
    with pytest.raises(Wrong, match=words) as told:
        agree("f", X, Y, most_work=2)
    assert told.value.kind is None  # the check's hint fits, whatever it is about


def test_far_too_little_was_not_counted():
    """Its products are made where nobody counts them."""
    source = "from torch.utils._python_dispatch import _disable_current_modes as off\n"
    source += "def f(x, y):\n    with off():\n        return x @ y"
    with pytest.raises(Wrong, match="take 0 multiplications: with so few it cannot be done"):
        agreeing(source)("f", X, Y, most_work=2)


def test_a_wrong_answer_is_told_first():
    wrong = ANEW.replace("/ 5", "/ 4")
    with pytest.raises(Wrong, match="of the values differ"):
        agreeing(wrong)("f", X, Y, most_work=2)
