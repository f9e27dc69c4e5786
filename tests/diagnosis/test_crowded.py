"""From questions in which situations meet no mistake is read: others explain them."""

import pytest
import torch

from autograder.diagnosis import Diagnosis, diagnose, explain_crowded
from autograder.sandbox.session import Answer

ITEM = "attention_tensors"


@pytest.fixture(scope="module")
def attention(exam):
    return next(each for each in exam.bank.components if each.name == "attention")


@pytest.fixture(scope="module")
def crowded(exam, attention):
    return [x for x in exam.bank.all_of(attention) if exam.bank.cases[x].crowded]


def answers_with(bank, component, *names):
    faults = tuple(each for each in component.faults if each.name in names)
    assert len(faults) == len(names)
    return {place: bank.answer(component, faults, place) for place in bank.all_of(component)}


def failing(bank, answers):
    return {bank.cases[x].item for x in answers if not bank.is_right(x, answers[x])}


def told(bank, answers):
    failed = failing(bank, answers)
    return explain_crowded(bank, answers, failed, diagnose(bank, answers, failed))


def spoilt(answers, places):
    """What is wrong there in a way that nobody knows."""
    return answers | {place: Answer(torch.full((3, 2), 0.123)) for place in places}


def test_they_are_asked_and_no_mistake_is_read_from_them(exam, attention, crowded):
    assert {exam.bank.cases[x].item for x in crowded} == {ITEM}
    assert exam.bank.cases_of(attention)
    assert set(crowded).isdisjoint(exam.bank.cases_of(attention))


def test_what_other_questions_prove_explains_them(exam, attention, crowded):
    answers = answers_with(exam.bank, attention, "DoesNotScale", "IgnoresTheMask")
    found = told(exam.bank, answers)
    assert found.keys() == failing(exam.bank, answers)
    assert {each.name for each in found[ITEM].faults} == {"DoesNotScale", "IgnoresTheMask"}
    assert found[ITEM].cases > len(crowded)


def test_where_more_goes_wrong_the_others_are_named_all_the_same(exam, attention, crowded):
    bank = exam.bank
    answers = answers_with(bank, attention, "DoesNotScale")
    alone = diagnose(bank, answers, failing(bank, answers))
    found = told(bank, spoilt(answers, crowded[:1]))
    assert found.keys() == alone.keys()
    assert {item: each.faults for item, each in found.items()} == {
        item: each.faults for item, each in alone.items()
    }
    assert [item for item, each in found.items() if each.partly] == [ITEM]


def test_what_shows_there_alone_is_explained_by_nothing(exam, attention, crowded):
    right = {place: exam.bank.cases[place].right for place in exam.bank.all_of(attention)}
    answers = spoilt(right, crowded[:1])
    assert failing(exam.bank, answers) == {ITEM}
    assert told(exam.bank, answers) == {}


def test_either_of_two_that_nothing_tells_apart_may_be_at_work_there(exam, attention, crowded):
    bank = exam.bank
    answers = answers_with(bank, attention, "DoesNotScale")
    one, other = (x for x in attention.faults if x.name in ("DoesNotScale", "IgnoresTheMask"))
    either = Diagnosis((other,), 3, ((one,),))
    found = explain_crowded(bank, answers, {ITEM}, {"attention_scale": either})
    assert found[ITEM].faults == (one,)


def test_what_cannot_be_tried_beside_what_is_certain_is_not_ruled_out(exam, attention):
    """Both fill what is blocked: nothing tells what they would give together."""
    names = ("FillsWithMinusAThousand", "BlockedRowsBecomeUniform")
    answers = answers_with(exam.bank, attention, *names)
    known = {each.name: each for each in attention.faults}
    certain, uniform, hundred = (known[each] for each in (*names, "FillsWithAHundred"))
    either = Diagnosis((uniform,), 3, ((hundred,),))
    about = {"attention_mask": Diagnosis((certain,), 3), "attention_blocked_rows": either}
    found = explain_crowded(exam.bank, answers, {ITEM}, about)
    assert found[ITEM].faults == (uniform,)  # what is certain shows elsewhere alone
    assert found[ITEM].alternatives == ((hundred,),)
    about["attention_blocked_rows"] = Diagnosis((uniform,), 3)
    found = explain_crowded(exam.bank, answers, {ITEM}, about)
    assert (found[ITEM].faults, found[ITEM].alternatives) == ((uniform,), ())
