"""Several mistakes in one answer: each leaves the others some of it, and all are found."""

from dataclasses import replace
from itertools import combinations

import pytest
import torch

import autograder.diagnosis.bank as banks
import autograder.diagnosis.contradiction as contradiction
from autograder.asking.student import Question
from autograder.diagnosis.agreement import Agreement
from autograder.diagnosis.choices import Choices
from autograder.diagnosis.comparing import same
from autograder.diagnosis.evidence import Case, tensors_of
from autograder.diagnosis.explained import Diagnosis, settled
from autograder.diagnosis.fault import combine
from autograder.diagnosis.parts import Parts, WrongParts
from autograder.diagnosis.search import diagnose
from autograder.grading import grade
from autograder.proof.proving import Maker
from autograder.sandbox.failure import Failure
from autograder.sandbox.session import Answer


@pytest.fixture(scope="module")
def attention(exam):
    return next(each for each in exam.bank.components if each.name == "attention")


def chosen(component, *names):
    return tuple(each for each in component.faults if each.name in names)


def answers_with(bank, component, faults):
    return {place: bank.answer(component, faults, place) for place in bank.cases_of(component)}


def told(bank, component, faults):
    answers = answers_with(bank, component, faults)
    failed = {bank.cases[x].item for x in answers if not bank.is_right(x, answers[x])}
    found = diagnose(bank, answers, failed)
    assert found.keys() == failed
    return {fault for each in found.values() for fault in each.all_faults}


@pytest.mark.parametrize(
    "names",
    [
        # Neither is made often, and no case shows one of them alone.
        ("DividesByTheRootOfTheFirstAxis", "SoftmaxOverTheQueries"),
        ("FloorsTheScores", "LogarithmsOfTheWeights"),
        # Three at once: the gradients, and the returned weights, are each other's in part.
        ("DividesByTheRootOfDv", "DetachesTheValues", "FlipsTheKeys"),
    ],
)
def test_mistakes_that_all_show_everywhere_are_named(exam, attention, names):
    faults = chosen(attention, *names)
    assert len(faults) == len(names)
    assert told(exam.bank, attention, faults) == set(faults)


def shared(one, other, case):
    return WrongParts(one, case).shared(Parts(other, case), 0.0)[0]


def test_what_two_answers_share_is_counted_where_it_is_wrong():
    case = Case("item", Question("f"), Answer(torch.zeros(3, 2)), 1e-12)
    one = Answer(torch.tensor([[1.0, 2.0], [3.0, 4.0], [0.0, 0.0]]))
    assert shared(one, one, case) == 2  # the last row is right
    assert shared(one, Answer(torch.tensor([[1.0, 2.0], [3.0, 9.0], [0.0, 0.0]])), case) == 1
    assert shared(one, Answer(torch.zeros(3, 2)), case) == 0
    assert shared(one, Answer(torch.zeros(2, 2)), case) == 0
    beside = replace(one, gradients=(torch.ones(4),))
    assert shared(beside, replace(one, gradients=(torch.ones(4),)), case) == 2
    nan = Answer(torch.full((3, 2), torch.nan))
    assert shared(nan, nan, case) == 3
    assert shared(nan, one, case) == 0


def test_what_is_nearly_that_of_another_is_counted_if_it_is_asked_for():
    case = Case("item", Question("f"), Answer(torch.zeros(2, 2)), 1e-12)
    parts = WrongParts(Answer(torch.tensor([[1.0, 2.0], [3.0, 4.0]])), case)
    near = Parts(Answer(torch.tensor([[1.001, 2.0], [3.1, 4.0]])), case)
    assert [parts.shared(near, each) for each in (0.0, 0.01, 0.1)] == [(0, 0), (0, 1), (0, 2)]
    assert parts.shared(Parts(Answer(torch.full((2, 2), torch.nan)), case), 0.1) == (0, 0)
    assert parts.shared(Parts(Answer(torch.zeros(2, 2, dtype=torch.int)), case), 0.1) == (0, 0)


def test_faults_grow_by_what_explains_more(exam, attention):
    """Of two, one is seen in the gradients; the other is then found on top of it."""
    faults = chosen(attention, "DividesByTheRootOfDv", "DetachesTheValues")
    answers = answers_with(exam.bank, attention, faults)
    agreement = Agreement(exam.bank, attention, answers, loosely=False)
    choices = Choices(agreement, ())
    (values,) = chosen(attention, "DetachesTheValues")
    scaled = chosen(attention, "DividesByTheRootOfDv")
    assert scaled in choices.grown([()], agreement.wrong)
    grown = choices.grown([scaled], agreement.wrong)
    assert next(iter(grown)) == faults
    assert values in faults
    assert all(combine(each) for each in grown)


def test_a_fault_that_comes_near_is_a_hint_and_no_share(exam, attention):
    faults = chosen(attention, "DividesByTheRootOfTheFirstAxis", "AddsATrifleToTheSum")
    answers = answers_with(exam.bank, attention, faults)
    agreement = Agreement(exam.bank, attention, answers, loosely=False)
    scaled = chosen(attention, "DividesByTheRootOfTheFirstAxis")
    assert all(agreement.share(scaled, each) == 0 for each in agreement.wrong[:1])
    assert agreement.hint(scaled, agreement.wrong[0]) > 0
    assert scaled in Choices(agreement, ()).grown([()], agreement.wrong[:1])


def test_what_the_rest_left_open_is_asked_first(exam, attention):
    """Where a mistake is known, most others fail at what that one does not explain."""
    faults = chosen(attention, "IgnoresTheMask", "DetachesTheValues")
    answers = answers_with(exam.bank, attention, faults)
    agreement = Agreement(exam.bank, attention, answers, loosely=False)
    rest = chosen(attention, "DetachesTheValues")
    other = (*chosen(attention, "BlockedRowsBecomeUniform"), *rest)
    assert agreement.fitting([rest, other], agreement.places) == []
    explained = [x for x in agreement.places if agreement._agrees.get((rest, x))]
    (open_,) = [x for x in agreement.places if agreement._agrees.get((rest, x)) is False]
    assert explained
    assert [x for x in agreement.places if (other, x) in agreement._agrees] == [open_]


def test_what_is_known_from_elsewhere_is_tried_first_with_any_other(exam, attention):
    (known,) = chosen(attention, "DetachesTheValues")
    answers = answers_with(exam.bank, attention, chosen(attention, "DoesNotScale"))
    choices = Choices(Agreement(exam.bank, attention, answers, loosely=False), (), (known,))
    nothing, beside, *_ = choices.each(lambda found: found)
    assert nothing == [()]
    assert beside[0] == (known,)
    assert chosen(attention, "DetachesTheValues", "DoesNotScale") in beside


@pytest.mark.parametrize("seen", [True, False])
def test_any_way_of_writing_a_mistake_may_be_seen_elsewhere(exam, attention, monkeypatch, seen):
    (one,) = chosen(attention, "IgnoresTheMask")
    (other,) = chosen(attention, "IgnoresTheMaskButForBlockedRows")
    answers = answers_with(exam.bank, attention, (one,))
    agreement = Agreement(exam.bank, attention, answers, loosely=False)
    first, second, *left = agreement.items
    assert left
    found = {first: Diagnosis((one,), 1), second: Diagnosis((other,), 1)}
    monkeypatch.setattr(contradiction, "_is_seen", lambda _, __, x, *___: seen and x is other)
    told = contradiction.without_contradiction(agreement, Choices(agreement, ()), found)
    assert told == (found if seen else {})


@pytest.mark.parametrize(
    ("line", "are_same"),
    [('raise ValueError("of my own")', True), ("assert t < n", True), ("x @ y", False)],
)
def test_the_words_of_ones_own_exception_prove_nothing(line, are_same):
    """They are its author's; those of torch's tell what went wrong."""
    case = Case("item", Question("f"), Answer(torch.ones(1)), 1e-12)
    one, other = (
        Answer(None, failure=Failure("ValueError", words, "cell", 1, line))
        for words in ("too long", "there are only so many rows")
    )
    assert same(one, other, case) is are_same
    assert not same(one, replace(other, failure=replace(other.failure, type="TypeError")), case)


def test_sizes_that_do_not_go_together_are_one_exception():
    """Torch's words for them hang on the operation: which one it is, is a matter of style."""
    case = Case("item", Question("f"), Answer(torch.ones(1)), 1e-12)
    said = []
    for call in (
        lambda: torch.ones(2, 3) + torch.ones(2, 2),
        lambda: torch.ones(2, 3).expand(4, 2, 2),
        lambda: torch.ones(2, 3).add_(torch.ones(2, 2, 3)),
        lambda: torch.ones(2, 3).view(7),
    ):
        with pytest.raises(RuntimeError) as error:
            call()
        said.append(Answer(None, failure=Failure("RuntimeError", str(error.value), "cell", 1, "x")))
    *alike, other = said
    assert all(same(alike[0], each, case) for each in alike)
    assert not same(alike[0], other, case)


def test_a_fault_that_inherits_from_another_is_the_same_mistake_in_another_way(exam, attention):
    (one,) = chosen(attention, "IgnoresTheMask")
    (other,) = chosen(attention, "IgnoresTheMaskButForBlockedRows")
    assert (other.sentence, other.thought, other.item) == (one.sentence, one.thought, one.item)
    assert other.steps == one.steps
    assert other.id != one.id
    assert told(exam.bank, attention, (other,)) == {other}
    assert "class IgnoresTheMask(" in attention.cell_with((other,))


def test_one_fault_that_is_found_in_two_places_is_one(exam, attention):
    (one,) = chosen(attention, "IgnoresTheMask")
    other = replace(one, item="causal_mask")
    case = exam.bank.cases[next(iter(exam.bank.cases_of(attention)))]
    twice = attention.answer((one, other), case.question)
    assert same(twice, attention.answer((one,), case.question), case)
    assert attention.cell_with((one, other)) == attention.cell_with((one,))


def test_answers_to_several_faults_are_forgotten_in_time(exam, attention, monkeypatch):
    """A class of any size has wrong submissions without end, and a grader's memory has one."""
    monkeypatch.setattr(banks, "_MOST", 1 << 15)
    bank = banks.Bank(exam.bank.components, exam.bank.cases)
    pairs = list(filter(combine, combinations(attention.faults[:12], 2)))
    place = next(iter(bank.cases_of(attention)))
    first = bank.answer(attention, pairs[0], place)
    for pair in pairs:
        bank.answer(attention, pair, place)
    assert 1 <= len(bank._of_several) <= (1 << 15) / (1 << 11)
    assert same(bank.answer(attention, pairs[0], place), first, bank.cases[place])


def test_what_is_remembered_keeps_nothing_else_alive(exam, attention):
    """A graph holds all that a call computed, and a slice all that it is cut from."""
    bank = banks.Bank(exam.bank.components, exam.bank.cases)
    (fault,) = chosen(attention, "IgnoresTheMask")
    answers = [bank.answer(attention, (fault,), each) for each in bank.cases_of(attention)]
    found = [tensor for each in answers for tensor in tensors_of(each)]
    assert any(each.requires_grad for each in found)
    assert all(each.is_leaf for each in found)
    assert all(each.untyped_storage().nbytes() == each.nbytes for each in found)


def test_no_two_are_tried_where_nothing_was_answered(exam, attention):
    """Of which kind an answer is, hangs on one mistake alone: it would have been seen."""
    ended = Answer(None, failure=Failure("Ended", ""))
    answers = dict.fromkeys(exam.bank.cases_of(attention), ended)
    asked = Agreement(exam.bank, attention, answers, loosely=False)
    choices = Choices(asked, ())
    assert choices._pairs() == {}
    assert choices._hints == {}
    assert not asked._answered


ROWS = """
import math
import torch

def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores.masked_fill(mask == 0, -1e9)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights * mask.any(dim=-1, keepdim=True)
    return weights @ v, weights
"""


def test_who_sees_to_empty_rows_and_forgets_the_mask_is_told(exam, server, course, tmp_path):
    handed_in = Maker(course, "a1_attention", tmp_path).hand_in("somebody", "attention", ROWS)
    result = grade("somebody", handed_in, exam, server)
    found = {each for item in result.items for each in item.faults}
    assert found == {"attention.IgnoresTheMaskButForBlockedRows"}
    lost = {item.item for item in result.items if item.verdict not in ("passed", "carried")}
    assert lost == {"attention_mask"}


def test_what_depends_on_the_steps_before_it_is_named_beside_them(exam_of):
    """A divergence from shares that are wrong: nothing shows one of the three alone."""
    bank = exam_of("a6_translation").bank
    loss = next(each for each in bank.components if each.name == "smoothed_loss")
    faults = chosen(loss, "DividesByTwoLess", "OverwritesTheShareOfPadding", "Divergence")
    assert told(bank, loss, faults) == set(faults)


def test_a_mistake_that_others_hide_is_not_told(exam_of):
    """Without smoothing no share of it is given to anybody: how it is shared out is not seen."""
    bank = exam_of("a6_translation").bank
    loss = next(each for each in bank.components if each.name == "smoothed_loss")
    seen = chosen(loss, "PadIdIsTheLeast", "SmoothingIgnored")
    (hidden,) = chosen(loss, "NoShareForPadding")
    assert told(bank, loss, (*seen, hidden)) == told(bank, loss, seen) == set(seen)


def test_of_two_that_nothing_tells_apart_both_are_told(exam_of):
    """A plain number has no gradient, in which alone the two differ."""
    bank = exam_of("a6_translation").bank
    loss = next(each for each in bank.components if each.name == "smoothed_loss")
    names = "LogOfSoftmaxAndATrifleLarger", "SmoothingIgnored", "ReturnsANumber"
    found = told(bank, loss, chosen(loss, *names))
    assert {"LogOfClampedLarger", *names} == {each.name for each in found}


def test_of_two_that_nothing_tells_apart_in_an_item_the_proven_one_is_told(exam_of):
    """Both are alike where each sentence has one word; another item proves one of them."""
    bank = exam_of("a3_positional_encoding").bank
    encoding = next(each for each in bank.components if each.name == "positional_encoding")
    row, first = chosen(encoding, "RowOfTheSentence"), chosen(encoding, "FirstRowForAll")
    refuses = chosen(encoding, "RefusesTheLastLength")
    found = {
        "position_added": Diagnosis(row, 10),
        "position_lengths": Diagnosis((*refuses, *first), 6, ((*refuses, *row),)),
    }
    assert settled(found)["position_lengths"] == Diagnosis((*refuses, *row), 6)
    alone = {"position_lengths": found["position_lengths"]}
    assert settled(alone) == alone


def test_what_is_off_by_little_is_explained_beside_what_is_proven(exam_of):
    """Lost digits alone prove nothing; beside another mistake they are the rest of it."""
    bank = exam_of("a6_translation").bank
    loss = next(each for each in bank.components if each.name == "smoothed_loss")
    faults = chosen(loss, "NoShareForPadding", "LosesDigits")
    right = answers_with(bank, loss, faults)
    # Theirs are reckoned in float32, too.
    answers = {
        place: each
        if each.value is None
        else replace(each, value=each.value.float().to(each.value.dtype))
        for place, each in right.items()
    }
    failed = {bank.cases[x].item for x in answers if not bank.is_right(x, answers[x])}
    found = diagnose(bank, answers, failed)
    assert {fault for each in found.values() for fault in each.all_faults} == set(faults)
    assert "loss_large_logits" in found


def test_three_made_often_of_which_two_show_nothing_are_named(exam_of):
    """Of a plain number no part is right: with two of them all of it is still wrong."""
    bank = exam_of("a6_translation").bank
    rate = next(each for each in bank.components if each.name == "warmup_rate")
    faults = chosen(rate, "CountsFrom0", "WithoutDModel", "RisesTooFast")
    assert told(bank, rate, faults) == set(faults)


def test_what_cannot_be_explained_does_not_silence_the_rest(exam_of):
    """One case raises what nobody knows; and stored weights hide which ones are used."""
    bank = exam_of("a2_multi_head").bank
    heads = next(each for each in bank.components if each.name == "heads")
    (split,) = chosen(heads, "SplitExchangesItsSizesAlone")
    (softmax,) = chosen(heads, "SoftmaxOverTheQueries")
    (stored,) = chosen(heads, "WeightsBeforeTheMask")
    answers = answers_with(bank, heads, (softmax, stored, split))
    failed = {bank.cases[x].item for x in answers if not bank.is_right(x, answers[x])}
    last = max(x for x in answers if bank.cases[x].item == "heads_extremes")
    answers[last] = Answer(None, failure=Failure("OSError", "nobody knows why"))
    found = diagnose(bank, answers, failed)
    assert found.keys() == failed
    assert [item for item, each in found.items() if each.partly] == ["heads_extremes"]
    assert found["heads_extremes"].sentences <= found["heads_self_attention"].sentences
    assert {softmax.sentence, split.sentence} <= found["heads_self_attention"].sentences


def test_what_it_is_built_on_may_be_why_where_that_is_not_known(exam_of):
    """Many a mistake lets the decoder take any length, and then the Transformer takes any, too."""
    bank = exam_of("a5_transformer").bank
    decoder, model = (
        next(each for each in bank.components if each.name == name)
        for name in ("decoder", "transformer")
    )
    faults = chosen(decoder, "WidthOfFourTimes", "NoPositions")
    others = ((decoder, faults),)
    answers = answers_with(bank, decoder, faults)
    for place in bank.cases_of(model):
        answers[place] = model.answer((), bank.cases[place].question, others)
    failed = {bank.cases[x].item for x in answers if not bank.is_right(x, answers[x])}
    assert "max_len" in failed
    found = diagnose(bank, answers, failed)
    assert {fault for each in found.values() for fault in each.all_faults} <= set(faults)


def test_what_is_certain_is_not_told_alone_where_it_does_not_explain_the_item(exam_of):
    """Beside it there is one of three, which nothing tells apart: that is not carried."""
    bank = exam_of("a4_layers").bank
    norm = next(each for each in bank.components if each.name == "layer_norm")
    axes, floor = chosen(norm, "OverAllButTheFirstAxis"), chosen(norm, "EpsAsAFloor")
    answers = answers_with(bank, norm, (*axes, *floor))
    failed = {bank.cases[x].item for x in answers if not bank.is_right(x, answers[x])}
    found = diagnose(bank, answers, failed)
    assert found["norm_output"].certain == axes
    assert {*axes, *floor} <= set(found["norm_eps"].all_faults)


def test_what_is_written_in_two_ways_is_one_mistake_and_of_two_that_explain_all_both_are_told(
    graded,
):
    """Where only split_heads is asked, either way gives the same; elsewhere one of them does."""
    result = graded("a2_multi_head", "heads_of_the_other_size")
    names = {frozenset(x.split(".")[-1] for x in each.faults) for each in result.mistakes}
    assert names >= {
        frozenset({"SplitExchangesItsSizes"}),
        frozenset({"WeightsDetachedBeforeUse"}),
        frozenset({"BiasLostForBlockedRows", "NaNSweptAwayAtTheEnd"}),
    }


def test_what_changes_little_hides_nothing_beside_it(graded):
    """An eps that is another moves every number, by little: norms that are exchanged are seen."""
    result = graded("a4_layers", "norms_in_another_order")
    names = {x.split(".")[-1] for each in result.mistakes for x in each.faults}
    assert names >= {"LastNormsExchanged", "EpsOfAMillionth"}
