from math import isclose
from statistics import fmean, pstdev

import pytest

from autograder.export.difficulty import ENOUGH, difficulty

STRONG, WEAK = [10.0] * 20, [2.0] * 20


def point_biserial(right, of_others):
    """The textbook's: (mean of those who have it - of those who have not) / sd * sqrt(p q)."""
    have = [total for got, total in zip(right, of_others, strict=True) if got]
    have_not = [total for got, total in zip(right, of_others, strict=True) if not got]
    p = len(have) / len(right)
    return (fmean(have) - fmean(have_not)) / pstdev(of_others) * (p * (1 - p)) ** 0.5


def test_of_an_item_that_is_right_or_wrong_it_is_the_point_biserial_correlation():
    right = [2.0 * (n % 3 > 0) for n in range(ENOUGH)]
    of_others = [float(n % 7 + 2 * (n % 3)) for n in range(ENOUGH)]
    found = difficulty(right, of_others, 2.0)
    assert isclose(found.index, 2 / 3)
    assert isclose(found.discrimination, point_biserial(right, of_others))


@pytest.mark.parametrize(
    ("got", "badly"),
    [
        ([2.0] * 20 + [0.0] * 20, False),  # who is strong has it
        ([0.0] * 20 + [2.0] * 20, True),  # the wrong way round
        ([2.0, 0.0] * 20, True),  # chance
    ],
)
def test_an_item_that_does_not_tell_strong_from_weak_is_marked(got, badly):
    found = difficulty(got, STRONG + WEAK, 2.0)
    assert found.tells_badly is badly
    assert found.aside == ""


def test_too_few_get_no_figure_that_is_chance():
    found = difficulty([2.0] * 9 + [0.0] * (ENOUGH - 10), [1.0] * (ENOUGH - 1), 2.0)
    assert found.discrimination is None
    assert found.index == 9 / 29
    assert not found.tells_badly


def test_nobody_has_neither_figure():
    assert (difficulty([], [], 2.0).index, difficulty([], [], 2.0).discrimination) == (None, None)


@pytest.mark.parametrize(("got", "said"), [(2.0, "nearly all have it"), (0.0, "hardly anyone has")])
def test_an_item_that_all_have_or_nobody_is_not_blamed(got, said):
    alike = difficulty([got] * 40, STRONG + WEAK, 2.0)
    assert alike.discrimination is None  # a correlation with what never changes
    one_other = difficulty([*[got] * 39, 1.0], STRONG + WEAK, 2.0)
    for each in (alike, one_other):
        assert each.aside.startswith(said)
        assert not each.tells_badly


def test_an_item_without_points_has_no_share():
    assert difficulty([0.0] * 40, STRONG + WEAK, 0.0).index is None
