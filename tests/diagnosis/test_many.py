"""Six mistakes in one function: each is seen beside the others, and all are named."""

from dataclasses import replace

import pytest

from autograder.diagnosis.parts import Parts, WrongParts
from autograder.diagnosis.search import diagnose
from autograder.grading import grade, prepare
from autograder.sandbox.modules import Watched

NAME = "a5_transformer"
# A loop of max_len steps that asks the model for all of it and appends the likeliest word.
SIX = {
    *("OneTooMany", "NeverEnds", "StaysInTrainMode", "KeepsGradients"),
    *("ReadsTheSourceForEachWord", "StartOnTheDefaultDevice"),
}


@pytest.fixture(scope="module")
def bank(exam_of):
    return exam_of(NAME).bank


def test_what_is_seen_of_a_module_is_looked_at_by_itself(bank):
    case = next(each for each in bank.cases if each.right.watched)
    (first, *others) = case.right.watched
    calls, gradient = first.calls + 1, not first.kept_gradient
    wrong = replace(case.right, watched=(Watched(calls, gradient, first.trained), *others))
    one = replace(case.right, watched=(replace(first, calls=calls), *others))
    parts = WrongParts(wrong, case)
    assert len(parts) == 2
    assert parts.shared(Parts(one, case), 0.0)[0] == 1
    assert parts.shared(Parts(case.right, case), 0.0)[0] == 0


@pytest.mark.slow
def test_six_mistakes_of_a_naive_loop_are_named(bank):
    component = next(each for each in bank.components if each.name == "greedy_decode")
    faults = tuple(each for each in component.faults if each.name in SIX)
    assert len(faults) == len(SIX)
    places = bank.cases_of(component)
    answers = {place: bank.answer(component, faults, place) for place in places}
    failed = {bank.cases[each].item for each in places}
    found = diagnose(bank, answers, failed)
    assert found.keys() == failed
    assert {x.name for each in found.values() for x in each.all_faults} == SIX


@pytest.mark.slow
def test_what_an_item_shows_is_looked_for_on_top_of_what_another_one_shows(
    course, samples_of, one_server, tmp_path
):
    # One secret of two that were tried, with whose numbers fewer mistakes would do in one item.
    exam = prepare(course, NAME, "a secret for mis")
    exam = replace(exam, assignment=exam.assignment.model_copy(update={"locate": False}))
    path = samples_of(NAME)["masks_half_made"].write(tmp_path)
    told = {x for each in grade("x", path, exam, one_server).mistakes for x in each.faults}
    assert told
    # The decoder gets one mask: that of the target, which is wrong.
    assert "transformer.NoMasksInTheDecoder" not in told
