"""A second mistake is looked for beside one that is seen: only what it adds counts."""

from autograder.diagnosis.search import diagnose


def test_what_one_of_two_explains_alone_is_no_step_on_from_the_other(exam_of):
    """In one question the keys for values explain all, and half of it the two exchanged."""
    bank = exam_of("a7_faster_decoding").bank
    component = next(each for each in bank.components if each.name == "keys_and_values")
    names = {"KeysForValues", "KeysBeforePositions"}
    faults = tuple(each for each in component.faults if each.name in names)
    answers = {x: bank.answer(component, faults, x) for x in bank.cases_of(component)}
    found = diagnose(bank, answers, ["keys_values"])
    assert {each.name for each in found["keys_values"].all_faults} == names
