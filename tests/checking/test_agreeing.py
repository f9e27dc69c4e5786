"""What else `agree` looks at beside the values, and in which order checks are asked."""

from pathlib import Path

import pytest
import torch

from autograder.asking import LocalStudent, Question
from autograder.asking.student import Cell
from autograder.checking import Agree, Asked, Weights, Wrong, collect
from autograder.course import read_course, source_path
from autograder.diagnosis.comparing import same
from autograder.diagnosis.evidence import Case
from autograder.notebooks import read_source
from autograder.sandbox.session import Answer

ROOT = Path(__file__).resolve().parents[2]

X, Y = torch.ones(2, 3), torch.full((2, 3), 2.0)
RIGHT = "def f(x, y):\n    return x * y"
WRITES = "def f(x, y):\n    return x.mul_(y)"
# Whoever looks at x alone: y may ask for a gradient where x asks for none.
DETACHED = """def f(x, y):
    return x * y if x.requires_grad else x * y.detach()"""


def agreeing(source):
    reference = LocalStudent([Cell("one", RIGHT)], {})
    student = LocalStudent([Cell("one", source)], {})
    weights = Weights(reference, "a secret of the test", "none")
    return Agree(student, reference, 1e-6, {"f": ["x", "y"]}, weights)


def test_what_is_written_to_is_looked_at_on_request():
    agree = agreeing(WRITES)
    agree("f", X, Y)
    with pytest.raises(Wrong, match="it changes its input x") as told:
        agree("f", X, Y, unchanged=True)
    assert told.value.kind == "input"
    agreeing(RIGHT)("f", X, Y, unchanged=True)


def test_a_check_about_nothing_else_says_it_in_its_own_words():
    with pytest.raises(Wrong, match="it changes its input x") as told:
        agreeing(WRITES).unchanged("f", X, Y)
    assert told.value.kind is None  # its hint fits


def test_gradients_may_be_asked_by_some_arguments_alone():
    upstream = [torch.full((2, 3), 3.0)]
    agree = agreeing(DETACHED)
    agree("f", X, Y, cotangents=upstream)
    agree("f", X, Y, cotangents=upstream, by=(0,))
    with pytest.raises(Wrong, match="no gradient flows back"):
        agree("f", X, Y, cotangents=upstream, by=(1,))
    agreeing(RIGHT)("f", X, Y, cotangents=upstream, by=(1,))


@pytest.mark.parametrize("unchanged", [False, True])
def test_a_diagnosis_looks_at_what_was_written_to_where_the_check_does(unchanged):
    question, right = Question("f", (X, Y)), Answer(X * Y)
    look = {"outputs": ("the result",), "look_at": ("the result",), "unchanged": unchanged}
    case = Case("item", question, right, 1e-6, Asked("call", question, right, **look))
    assert same(Answer(X * Y), right, case)
    assert same(Answer(X * Y, changed=(0,)), right, case) == (not unchanged)


def test_checks_come_item_by_item_wherever_they_stand():
    assignment = read_course(ROOT).assignment("a1_attention")
    turned = assignment.model_copy(update={"items": assignment.items[::-1]})
    found = collect(turned, read_source(source_path(ROOT, assignment.id)))
    names = [each.id for each in turned.items]
    places = [names.index(each.item) for each in found]
    assert places == sorted(places)
