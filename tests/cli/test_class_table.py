"""A class in the terminal: what it lost, and whose grades would move."""

import pytest
from export_samples import assignment, graded
from rich.console import Console

from autograder.cli.show import print_class, print_moves
from autograder.course import Roster
from autograder.course.result import Verdict
from autograder.grading import Move

NOBODY = Roster({})
PASSED, CARRIED, WRONG = Verdict.PASSED, Verdict.CARRIED, Verdict.WRONG


def printed(show, *args, width=80):
    out = Console(width=width, highlight=False)
    with out.capture() as captured:
        show(out, *args)
    return captured.get()


def table_of(results, of, about=None, late=None, width=80):
    return printed(print_class, results, [], of, about or {}, NOBODY, late or {}, width=width)


def test_what_costs_nothing_is_not_listed():
    of = assignment()
    said = table_of([graded("s1", of, [WRONG, CARRIED, PASSED])], of)
    assert "wrong attention_output" in said
    assert "carried" not in said
    dropped = of.items[0].model_copy(update={"points": 0.0})
    free = of.model_copy(update={"items": (dropped, *of.items[1:])})
    assert "wrong" not in table_of([graded("s1", free, [WRONG, PASSED, PASSED])], free)


@pytest.mark.parametrize("verdict", [Verdict.UNREADABLE, Verdict.MISSING])
def test_what_is_lost_everywhere_is_said_once(verdict):
    of = assignment()
    said = table_of([graded("s1", of, [verdict] * 3)], of)
    assert f"{verdict} everywhere" in said
    assert "attention" not in said.partition("everywhere")[2]


@pytest.mark.parametrize("width", [80, 72])
def test_ids_do_not_break_whatever_stands_beside_them(width):
    ids = ["attention_blocked_rows", "attention_output"]
    of = assignment(**dict.fromkeys(ids, 1.0))
    verdicts = [Verdict.FORBIDDEN, WRONG]
    who = "c.papadimitriou@example.org"
    about, late = {who: "the best of the class"}, {who: "2 d 3 h, 1 late day, -20 %"}
    said = table_of([graded(who, of, verdicts)], of, about, late, width)
    for verdict, each in zip(verdicts, ids, strict=True):
        assert f"{verdict} {each} " in said


def test_only_totals_that_move_are_listed():
    ids = ("attention_blocked_rows", "attention_output")
    moves = [
        Move("s1", 20, 22, 22, 22, ids),
        Move("s2", 22, 22, 22, 24, ids),
        Move("s3", 21, 21, 22, 22, ids),
    ]
    said = printed(print_moves, moves, NOBODY)
    assert "2 scores of the checks move" in said
    assert "21 of 22" not in said
    assert "only items move, and the total stays: 1 (s3)" in said
    assert all(said.count(each) == 2 for each in ids)
    alone = printed(print_moves, moves[2:], NOBODY)
    assert alone == "only items move, and the total stays: 1 (s3)\n"
    assert "only items" not in printed(print_moves, moves[:2], NOBODY)
