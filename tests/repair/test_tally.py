"""Which edits are worth trying: no more of a loop, nor of what a `raise` is not due to."""

from autograder.repair.edits import AS_MUTANTS, edits
from autograder.repair.spot import raising
from autograder.repair.tally import Tally
from autograder.repair.view import View

LOOP = "def f(n, m):\n    while n + m < 9:\n        n += 1\n    return n\n"
CHECKS = """\
def f(n, m):
    if n > m:
        if n:
            raise ValueError(n)
    elif n == 3:
        raise TypeError
    return 1 / n
"""


def test_of_the_head_of_a_loop_other_pieces_are_tried_on():
    these = [each for each in edits(View(LOOP), AS_MUTANTS) if each.line == 2]
    bound = [each for each in these if each.compares]
    others = [each for each in these if each.spot.node is not bound[0].spot.node]
    tally = Tally()
    for each in bound[:2]:
        assert tally.tries(each)
        tally.did_not_end(each)
    assert not tally.tries(bound[2])
    assert all(tally.tries(each) for each in others)
    for each in others[:6]:
        tally.did_not_end(each)
    assert not any(tally.tries(each) for each in these)


def test_a_line_of_which_one_edit_proves_all_is_not_tried_on():
    these, tally = edits(View(LOOP), AS_MUTANTS), Tally()
    one = next(each for each in these if each.line == 3)
    for _ in range(3):
        assert tally.asks_more(one)
        tally.proves(one, final=False)
    assert not tally.asks_more(one)
    assert tally.tries(one)
    tally.proves(one, final=True)
    assert [each.line for each in these if not tally.tries(each)] == [
        each.line for each in these if each.line == 3
    ]


def test_who_raises_on_purpose_does_so_by_a_test():
    view = View(CHECKS)
    assert raising(view, 4) == {3}
    assert raising(view, 6) == {5}
    assert raising(view, 7) == {7}
    assert raising(view, None) == {3, 5}
    assert raising(View("def f():\n    raise ValueError\n"), 2) == {2}


def test_a_line_that_a_repair_has_left_out_raises_no_more():
    """What raised is known of the cell as it was handed in, which may have been longer."""
    assert raising(View("def f():\n    return 1\n"), 9) == {9}
