"""Values that were typed: the lines in which those stand that are wrong."""

import pytest

from autograder.repair.typed import typed

ITEMS = ("hand",)
TYPED = """import torch

weights = torch.tensor([0.5, 0.5])
output = torch.tensor([1.0, 2.0])
"""


@pytest.mark.parametrize(
    ("wrong", "line", "others"),
    [({"weights"}, 3, ()), ({"output"}, 4, ()), ({"weights", "output"}, 3, (4,))],
)
def test_each_line_with_a_wrong_value_is_told(wrong, line, others):
    found = typed("hand", TYPED, wrong, ITEMS)
    assert (found.line, found.others) == (line, others)
    assert found.source == TYPED.splitlines()[line - 1]


@pytest.mark.parametrize(
    "text",
    [
        TYPED.replace("torch.tensor([1.0, 2.0])", "weights @ values"),  # which of the two is wrong?
        TYPED + "output = output + 0\n",
        "output",
    ],
)
def test_nothing_is_told_where_more_may_be_wrong(text):
    assert typed("hand", text, {"weights", "output"}, ITEMS) is None
