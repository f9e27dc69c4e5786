"""Where nothing was answered, mistakes are looked for one by one, and not together."""

import pytest

import autograder.diagnosis.bank as banks
from autograder.diagnosis.search import diagnose
from autograder.diagnosis.seen import seen
from autograder.sandbox.failure import Failure
from autograder.sandbox.session import Answer

ANSWERS = {
    "a name that is not defined": Answer(None, failure=Failure("NameError", "name 'query'")),
    "nothing": Answer(None),
}


@pytest.fixture
def several(exam, monkeypatch):
    """Hears of every question that is put to more faults than one."""
    asked = []
    ask = exam.bank.ask_fault

    def hear(component, faults, case):
        if len(faults) > 1:
            asked.append(faults)
        return ask(component, faults, case)

    monkeypatch.setattr(exam.bank, "ask_fault", hear)
    monkeypatch.setattr(exam.bank, "_of_several", banks.OrderedDict())
    return asked


def all_answered(bank, answer):
    attention = next(each for each in bank.components if each.name == "attention")
    return {place: answer for place in bank.cases_of(attention)}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_who_answers_nothing_is_not_compared_with_pairs(exam, several, answer):
    answers = all_answered(exam.bank, answer)
    assert not diagnose(exam.bank, answers, {exam.bank.cases[x].item for x in answers})
    assert not several


def test_who_answers_something_is(exam, several):
    """What nobody knows may be two mistakes."""
    bank = exam.bank
    answers = {
        place: Answer((each.right.value[0] + 0.125, each.right.value[1]))
        for place, each in ((x, bank.cases[x]) for x in all_answered(bank, Answer(None)))
        if each.right.failure is None and isinstance(each.right.value, tuple)
    }
    diagnose(bank, answers, {bank.cases[x].item for x in answers})
    assert several


def test_of_an_answer_of_many_parts_no_more_is_seen(exam):
    """Each part would be compared with those of every mistake."""
    many = Answer([[[0] * 90] * 90] * 90)
    case = exam.bank.cases[next(iter(all_answered(exam.bank, many)))]
    assert len(seen(many, case, loosely=False)) < 20
