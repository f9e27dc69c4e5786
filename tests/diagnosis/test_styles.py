"""Other right ways to write a component: mistakes beside them are named, and they never are."""

from itertools import product

import pytest

import autograder.diagnosis.search as search
from autograder.diagnosis import combine, diagnose

PAIRS = [("DoesNotScale", "SoftmaxOverTheQueries"), ("DividesByDk", "SoftmaxOverTheQueries")]


@pytest.fixture
def attention(exam):
    return next(each for each in exam.bank.components if each.name == "attention")


def explained(bank, component, faults):
    """What explains the answers with these faults; the items that fail."""
    answers = {place: bank.answer(component, faults, place) for place in bank.cases_of(component)}
    failed = {bank.cases[x].item for x in answers if not bank.is_right(x, answers[x])}
    return diagnose(bank, answers, failed), failed


def test_a_style_is_right(exam, attention):
    bank = exam.bank
    assert len(attention.styles) == 2
    for style, place in product(attention.styles, bank.cases_of(attention)):
        assert bank.is_right(place, bank.answer(attention, (style,), place))


@pytest.mark.parametrize("names", PAIRS, ids="+".join)
@pytest.mark.parametrize("at", [0, 1])
def test_mistakes_beside_a_style_are_named_and_the_style_is_not(exam, attention, names, at):
    faults = tuple(each for each in attention.faults if each.name in names)
    style = attention.styles[at]
    assert combine((*faults, style))
    found, failed = explained(exam.bank, attention, (*faults, style))
    assert found.keys() == failed
    for each in found.values():
        assert set(each.all_faults) <= set(faults)
        assert each.styles == (style,) or not each.styles
        assert style.sentence not in str(each)
    assert {fault for each in found.values() for fault in each.faults} == set(faults)


def test_without_styles_they_are_not(exam, attention, monkeypatch):
    monkeypatch.setattr(search, "_in_turn", lambda _: [(False, ()), (True, ())])
    faults = tuple(each for each in attention.faults if each.name in PAIRS[0])
    found, failed = explained(exam.bank, attention, (*faults, attention.styles[0]))
    assert found.keys() < failed
