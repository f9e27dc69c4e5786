"""A second mistake is looked for beside one that is seen: only what it adds counts."""

from dataclasses import replace

import pytest
import torch

from autograder.diagnosis.search import diagnose
from autograder.sandbox.failure import Failure
from autograder.sandbox.session import Answer


def named(bank, name, *faults, inside=()):
    """What is told of a submission with these faults in one component, and in what is in it."""
    component = next(each for each in bank.components if each.name == name)
    both = tuple(each for each in component.faults if each.name in faults)
    both += tuple(each for each in bank.built_on(component) if each.name in inside)
    assert len(both) == len(faults) + len(inside)
    answers = {x: bank.answer(component, both, x) for x in bank.cases_of(component)}
    failed = {bank.cases[x].item for x in answers if not bank.is_right(x, answers[x])}
    found = diagnose(bank, answers, failed)
    assert found.keys() == failed
    return {x.name for each in found.values() for x in each.all_faults}


def test_what_one_of_two_explains_alone_is_no_step_on_from_the_other(exam_of):
    """In one question the keys for values explain all, and half of it the two exchanged."""
    two = "KeysForValues", "KeysBeforePositions"
    assert named(exam_of("a7_faster_decoding").bank, "keys_and_values", *two) == set(two)


def test_two_that_hide_each_other_are_looked_for_among_all_pairs(exam_of):
    two = "MemoryExchanged", "FeedForwardNotAdded"
    assert named(exam_of("a7_faster_decoding").bank, "layer_step", *two) == set(two)


def test_of_those_that_explain_a_question_the_one_that_explains_more_is_built_on(exam):
    """Many a number in the place of blocked scores gives rows without keys what they get here."""
    two = "FillsWithMinusAThousand", "BlockedRowsBecomeUniform"
    assert named(exam.bank, "attention", *two) == set(two)


@pytest.mark.parametrize(
    ("assignment", "component", "faults"),
    [
        ("a3_positional_encoding", "sinusoidal_encoding", ("Halves", "SlowestHandAtTheEnd")),
        (
            "a1_attention",
            "attention",
            ("BlockedRowsBecomeNaN", "SoftmaxOverTheSecondAxis", "DropsSomeWeights"),
        ),
    ],
)
def test_where_what_is_as_good_leads_nowhere_the_others_are_tried(
    exam_of, assignment, component, faults
):
    """Of one question the other explains all, and nothing of the rest: a dead end."""
    assert named(exam_of(assignment).bank, component, *faults) == set(faults)


def test_what_items_prove_one_by_one_explains_the_others_together(exam_of):
    """Masks are asked for by themselves, and show there four of five; all meet in the logits."""
    five = "PadIdIsZero", "SourceMaskTurnedRound", "TargetMaskInverted", "TargetMaskOfBytes"
    five = *five, "OutputSharesTheEmbedding"
    assert named(exam_of("a5_transformer").bank, "transformer", *five) == set(five)


def test_what_stands_in_a_part_is_found_beside_what_stands_in_the_whole(exam_of):
    """A table that is made anew may have the mistakes of the table's own function."""
    bank = exam_of("a3_positional_encoding").bank
    inside = "EveryColumnItsOwn", "ExponentCountedTwice"
    own = "Persistent", "BatchAxisInTheBuffer", "ScalesAgain"
    assert named(bank, "positional_encoding", *own, inside=inside) == {*own, *inside}


def test_a_result_of_another_shape_speaks_against_nothing(exam_of):
    """It hides what it holds, as an exception does, where nobody knows why it has that shape."""
    bank = exam_of("a5_transformer").bank
    component = next(each for each in bank.components if each.name == "transformer")
    one = tuple(x for x in component.faults if x.name == "SourceMaskTurnedRound")
    answers = {x: bank.answer(component, one, x) for x in bank.cases_of(component)}
    for place, each in answers.items():
        if bank.cases[place].item == "transformer_masks" and isinstance(each.value, torch.Tensor):
            answers[place] = replace(each, value=each.value.unsqueeze(0).repeat(2, 1, 1, 1, 1))
    failed = {bank.cases[x].item for x in answers if not bank.is_right(x, answers[x])}
    found = diagnose(bank, answers, failed)
    assert found["transformer_output"].faults == found["transformer_padding"].faults == one
    assert "transformer_masks" not in found


def test_mistakes_that_each_change_how_much_is_written_are_found_together(exam_of):
    """One question takes as long as all others: asked first, it would use up what may be asked."""
    three = "AWordForEachOfTheSource", "WithoutTheStart", "EndedRowsGoOn"
    five = *three, "StaysInTrainMode", "KeepsGradients"
    assert named(exam_of("a5_transformer").bank, "greedy_decode", *five) == set(five)


def asked_in_vain(bank, name, faults, raises):
    """What is told of a submission with these faults, where some questions end in an error of its
    own."""
    component = next(each for each in bank.components if each.name == name)
    one = tuple(each for each in component.faults if each.name in faults)
    failed = Failure("AssertionError", "", cell="attention", line=3)
    answers = {x: bank.answer(component, one, x) for x in bank.cases_of(component)}
    answers |= {
        x: Answer(None, failure=failed) for x in answers if raises(*bank.cases[x].question.args)
    }
    wrong = {bank.cases[x].item for x in answers if not bank.is_right(x, answers[x])}
    return diagnose(bank, answers, wrong)


def test_an_exception_that_nobody_knows_hides_no_more_than_what_it_keeps(exam):
    """Who insists on values like the keys says what else is wrong where they are."""
    found = asked_in_vain(
        exam.bank,
        "attention",
        ["SoftmaxOverTheQueries"],
        lambda q, k, v, *_: q.dim() != 3 or k.shape != v.shape,
    )
    assert found.keys() == {"attention_blocked_rows"}
    (told,) = found.values()
    assert told.partly
    assert "SoftmaxOverTheQueries" in {x.name for x in told.all_faults}


def test_of_two_explanations_none_is_told_that_would_show_where_all_is_right(exam):
    """Scores far below 0 tell the two apart, in an item of which exceptions hide the rest."""
    found = asked_in_vain(
        exam.bank, "attention", ["BlockedRowsBecomeNaN"], lambda q, *_: q.dim() < 3
    )
    told = found["attention_blocked_rows"]
    assert [x.name for x in told.all_faults] == ["BlockedRowsBecomeNaN"]


def test_what_only_undoes_another_is_no_mistake(exam_of):
    """Whoever refuses nothing counts nothing: what is counted wrongly could not be seen."""
    three = "PlaceZero", "NoMasks", "NothingIsRefusedAndAllWorks"
    assert named(exam_of("a7_faster_decoding").bank, "decoder_step", *three) == set(three)
