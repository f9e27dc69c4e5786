"""A mistake is known by what came: what was refused before anything was asked is none's answer."""

import json
from math import isfinite
from pathlib import Path

import pytest
import torch

from autograder.handout.checks.mistakes import mistakes
from autograder.handout.checks.prints import print_of, same
from autograder.handout.checks.problem import Problem
from autograder.handout.checks.recorded import Came

CASE = {"kind": "call", "outputs": ["the result"], "read": [], "look_at": ["the result"]}
CASE |= {"cotangents": None}
ASSIGNMENTS = Path(__file__).resolve().parents[2] / "assignments"
NOTHING = "It returns nothing."
WRONG = Problem("the result: expected a tensor, got None")


def named(came):
    nothing = print_of(CASE, Came(value=None))
    item = {"cases": [CASE], "mistakes": {"ReturnsNothing": [nothing]}, "tolerance": 1e-9}
    return mistakes(item, {"ReturnsNothing": NOTHING}, [came], [WRONG])


def test_what_returns_nothing_is_named():
    assert named(Came(value=None)) == [NOTHING]


def test_two_that_say_the_same_are_one():
    nothing = print_of(CASE, Came(value=None))
    known = {"Here": f"{NOTHING}\nIs there a return?", "There": NOTHING, "Else": "Nothing at all."}
    item = {"cases": [CASE], "mistakes": {each: [nothing] for each in known}, "tolerance": 1e-9}
    said = [f"{NOTHING}\nIs there a return?", "Nothing at all."]
    assert mistakes(item, known, [Came(value=None)], [WRONG]) == said


def test_what_could_not_be_loaded_has_not_returned_nothing():
    lost = Problem("Model(): output.weight does not keep the values that are loaded into it")
    assert named(Came(refused=lost)) == []


def test_what_raises_in_one_case_and_is_wrong_in_another_is_named():
    refused = Problem("f(x) raised KeyError: 3")
    came = [Came(error=("KeyError", "#"), refused=refused), Came(value=7)]
    theirs = [Came(error=("KeyError", "#"), refused=Problem("it raises")), Came(value=7)]
    prints = [print_of(CASE, each) for each in theirs]
    item = {"cases": [CASE] * 2, "mistakes": {"LooksUp": prints}, "tolerance": 1e-9}
    assert mistakes(item, {"LooksUp": "It looks up."}, came, [WRONG] * 2) == ["It looks up."]


@pytest.mark.parametrize("large", [-1e9, torch.finfo(torch.float64).min, float("-inf")])
def test_a_print_with_large_numbers_tells_the_small_ones_apart(large):
    values = torch.linspace(-1, 1, 6, dtype=torch.float64)
    values[0] = large
    printed = print_of(CASE, Came(value=values))
    assert all(map(isfinite, printed["the result"][1:]))
    assert same(printed, print_of(CASE, Came(value=values * (1 - 1e-15))), 1e-9)
    values[1] += 0.01
    assert not same(printed, print_of(CASE, Came(value=values)), 1e-9)


def test_all_that_is_recorded_of_mistakes_is_finite():
    """Else a sum hangs on the order in which a processor adds, and so does the release."""

    def numbers(part):
        if isinstance(part, float):
            yield part
        elif isinstance(part, (list, dict)):
            for each in part.values() if isinstance(part, dict) else part:
                yield from numbers(each)

    recorded = [json.loads(path.read_text()) for path in ASSIGNMENTS.glob("*/checks/cases.json")]
    prints = [each.get("mistakes") for cases in recorded for each in cases["items"].values()]
    found = list(numbers(prints))
    assert len(found) > 1000
    assert all(map(isfinite, found))
