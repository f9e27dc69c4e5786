"""The smallest example says so where it shows something else than what is told above it."""

import pytest
from students_notebook import ROOT, checks_in, notebook_of


@pytest.fixture(scope="module")
def checks():
    with checks_in(ROOT / "assignments" / "a2_multi_head") as found:
        yield found


@pytest.fixture
def module(monkeypatch):
    return notebook_of("a2_multi_head", monkeypatch).MultiHeadAttention


def said(checks, item):
    with pytest.raises(checks.CheckFailed) as caught:
        checks.check(item)
    return str(caught.value)


def test_an_example_beside_an_exception_says_that_nothing_is_raised_in_it(checks, module):
    right = module.forward
    module.forward = lambda self, q, k, v, mask=None: right(
        self, q, k, v, None if mask is None else mask.unsqueeze(1)
    )
    told = said(checks, "heads_mask")
    assert "raised RuntimeError: The expanded size" in told
    assert "mask (5, 5))" in told  # as the others are written
    assert "The smallest example, where nothing is raised: MultiHeadAttention(" in told


def test_one_beside_wrong_numbers_does_not(checks, module):
    right = module.forward
    module.forward = lambda self, q, k, v, mask=None: right(self, q, k, v)
    assert "The smallest example: MultiHeadAttention(" in said(checks, "heads_mask")
