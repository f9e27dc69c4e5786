"""What a student is told of a mistake: the truth, as little of it as is proven, or nothing."""

from dataclasses import replace

import pytest
import torch

from autograder.asking.student import Question
from autograder.checking import Asked
from autograder.course.result import Verdict
from autograder.diagnosis.bank import Bank
from autograder.diagnosis.comparing import apart, same
from autograder.diagnosis.evidence import Case
from autograder.diagnosis.fault import named
from autograder.diagnosis.search import diagnose
from autograder.export.feedback import write_feedback
from autograder.grading import grade
from autograder.proof.proving import Maker
from autograder.sandbox.session import Answer

ATTENTION = "scaled_dot_product_attention"


@pytest.fixture(scope="module")
def maker(course, tmp_path_factory):
    return Maker(course, "a1_attention", tmp_path_factory.mktemp("submitted"))


@pytest.fixture
def graded(maker, exam, server):
    """Grades a notebook that is right except for one cell."""

    def graded(cell, text, exam=exam):
        return grade("somebody", maker.hand_in("somebody", cell, text), exam, server)

    return graded


@pytest.fixture(scope="module")
def attention(exam):
    return next(each for each in exam.bank.components if each.name == "attention")


def items_of(result):
    return {each.item: each for each in result.items}


def chosen(component, *names):
    return tuple(next(each for each in component.faults if each.name == name) for name in names)


BODY = f"""
import math
import torch

def {ATTENTION}(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / %s
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e30)
    weights = scores.softmax(-1)
    %s
    return weights @ v, weights
"""


def test_a_mistake_is_named_once_and_then_referred_to(graded):
    result = graded("attention", BODY % ("q.shape[-1]", "weights = weights * 1.0"))
    items = items_of(result)
    told = [each for each in result.items if each.diagnosis]
    assert list(told[0].faults) == ["attention.DividesByDk"]
    assert "divided by d_k instead of its square root" in told[0].diagnosis
    assert "cases of this item" in told[0].diagnosis
    assert told[1].diagnosis.startswith(f"The same mistake as in {told[0].item}: ")
    # This code spreads the weight of a blocked row, which is another mistake of its own item.
    assert "attention.BlockedRowsBecomeUniform" in items["attention_blocked_rows"].faults
    assert "attention.BlockedRowsBecomeUniform" not in items["attention_scale"].faults
    assert not items["padding_mask"].diagnosis


def test_three_mistakes_are_told_item_by_item(graded):
    """Together they are explained by no pair, but each item shows the one or two that it sees."""
    text = BODY % ("q.shape[-1]", "q /= 2")
    items = items_of(graded("attention", text))
    assert items["attention_scale"].faults.keys() == {"attention.DividesByDk"}
    assert items["attention_output"].faults.keys() == {"attention.DividesByDk"}


def test_what_no_fault_gives_is_told_as_none(graded):
    text = BODY % (
        "math.sqrt(q.shape[-1])",
        "weights = weights**1.1 / (weights**1.1).sum(-1, True)",
    )
    for each in graded("attention", text).items:
        assert not each.faults
        assert "this mistake" not in (each.diagnosis or "")


def test_right_code_is_told_nothing(graded):
    text = BODY % ("math.sqrt(q.shape[-1])", "if mask is not None: weights = weights * mask")
    result = graded("attention", text)
    assert all(each.verdict is Verdict.PASSED for each in result.items)
    assert not any(each.diagnosis or each.faults for each in result.items)


def test_two_components_in_one_item_are_both_told(exam):
    """The masks of one batch: the student's padding mask is inverted, the causal one transposed."""
    parts = {each.name: each for each in exam.bank.components}
    padding, causal = parts["padding_mask"], parts["causal_mask"]
    wrong = chosen(padding, "TrueAtPads"), chosen(causal, "SeesTheFuture")
    answers = {
        place: exam.bank.answer(component, faults, place)
        for component, faults in zip((padding, causal), wrong, strict=True)
        for place in exam.bank.cases_of(component)
    }
    found = diagnose(exam.bank, answers, {"padding_mask", "masks_together"})
    assert set(found) == {"padding_mask", "masks_together"}
    assert named(found["padding_mask"].faults) == ("padding_mask.TrueAtPads",)
    both = ("padding_mask.TrueAtPads", "causal_mask.SeesTheFuture")
    assert named(found["masks_together"].faults) == both


def test_faults_that_one_item_cannot_tell_apart_are_told_as_either(exam, attention):
    """Without a mask, no question tells these two from each other; what tells them is withheld."""
    one, other = chosen(attention, "NoSoftmax", "SoftmaxOnlyWithAMask")
    bank = exam.bank
    places = [
        each for each in bank.cases_of(attention) if bank.cases[each].item == "attention_output"
    ]
    answers = {place: bank.answer(attention, (one,), place) for place in places}
    found = diagnose(bank, answers, {"attention_output"})["attention_output"]
    assert set(found.all_faults) == {one, other}
    assert "either of these mistakes" in str(found)


def test_a_fault_that_would_show_where_the_code_is_right_is_not_told(exam, attention):
    """One item is as the fault makes it, and the others, which it would spoil too, are right."""
    (negated,) = chosen(attention, "NegatesTheScores")
    bank, item = exam.bank, "attention_output"
    everywhere = {
        each: bank.answer(attention, (negated,), each) for each in bank.cases_of(attention)
    }
    assert diagnose(bank, everywhere, {item})[item].faults == (negated,)
    here_alone = {
        place: answer if bank.cases[place].item == item else bank.cases[place].right
        for place, answer in everywhere.items()
    }
    assert diagnose(bank, here_alone, {item}) == {}


def as_told(found):
    """Diagnoses with faults by their ids: those of another bank are others."""
    return {
        item: ([[x.id for x in each] for each in (why.faults, *why.alternatives)], str(why))
        for item, why in found.items()
    }


def test_where_faults_are_known_to_show_changes_no_diagnosis(exam):
    """It only saves questions: a bank that knows nothing of it says the same."""
    bank = exam.bank

    def knowing(shows):
        components = [
            replace(each, faults=tuple(replace(one, shows=shows(one)) for one in each.faults))
            for each in bank.components
        ]
        return Bank(components, bank.cases)

    banks = bank, knowing(lambda _: {})
    for component in bank.components:
        for fault in component.faults:
            places = bank.cases_of(component)
            answers = {place: bank.answer(component, (fault,), place) for place in places}
            items = {bank.cases[place].item for place in places}
            found = [diagnose(each, answers, items) for each in banks]
            assert as_told(found[0]) == as_told(found[1])
            assert {each.faults for each in found[0].values()} == {(fault,)}


def test_a_fault_that_is_nearly_right_is_not_told(exam, attention):
    """It agrees, but so does what is right, nearly: a hundred times the tolerance is asked for."""
    (root,) = chosen(attention, "RootInFloat32")  # off by about 1e-8
    places = exam.bank.cases_of(attention)
    for tolerance, is_told in ((1e-12, True), (1e-9, False)):
        cases = [replace(each, tolerance=tolerance) for each in exam.bank.cases]
        bank = Bank(exam.bank.components, cases)
        answers = {place: bank.answer(attention, (root,), place) for place in places}
        found = diagnose(bank, answers, {"attention_scale"})
        assert bool(found) is is_told


def test_a_fault_that_writes_to_its_inputs_spoils_no_other_question(exam):
    padding = next(each for each in exam.bank.components if each.name == "padding_mask")
    case = exam.bank.cases[exam.bank.cases_of(padding)[0]]
    before = case.question.args[0].clone()
    padding.answer(chosen(padding, "BlanksThePads"), case.question)
    assert torch.equal(case.question.args[0], before)


def test_numbers_that_start_at_random_prove_nothing():
    """A student's module need not draw its weights in the reference's order."""
    case = replace(case_of(torch.tensor([[0.3, -0.1]])), drawn=True)
    one, other = (Answer(torch.tensor([each])) for each in ([0.7, 0.2], [-0.4, 0.5]))
    assert same(one, other, case)
    assert not same(one, Answer(torch.zeros(1, 2)), case)  # all of it was dropped
    assert not same(one, Answer(torch.tensor([[0.7]])), case)
    assert not same(one, Answer(torch.tensor([[0.7, 0.2]]).double()), case)
    assert not same(one, other, replace(case, drawn=False))
    assert not same(Answer(torch.zeros(0, 3)), one, case)  # an empty one is no fault of ours
    must_raise = Asked("raises", case.question, Answer(None), error="ValueError")
    assert same(one, other, replace(case, asked=must_raise))


def case_of(right, *, tolerance=1e-12, **answer):
    return Case("item", Question("f"), Answer(right, **answer), tolerance)


@pytest.mark.parametrize(
    ("one", "other", "are_same"),
    [
        (torch.ones(2), torch.ones(2), True),
        (torch.ones(2), torch.ones(3), False),
        (torch.ones(2), torch.ones(2).double(), False),
        (torch.tensor([1.0, torch.nan]), torch.tensor([1.0, torch.nan]), True),
        (torch.tensor([1.0, torch.nan]), torch.tensor([1.0, torch.inf]), False),
        (torch.tensor([torch.inf]), torch.tensor([-torch.inf]), False),
        (torch.tensor([1.0, torch.nan]), torch.tensor([2.0, torch.nan]), False),
        ((torch.ones(2), 1), (torch.ones(2), 1), True),
        ((torch.ones(2),), [torch.ones(2)], False),
        (torch.zeros(0), torch.zeros(0), True),
        (torch.ones(2), torch.ones(2).to_sparse(), False),
        (torch.ones(2).to_sparse(), torch.zeros(2).to_sparse(), False),
        (torch.ones(2).to_sparse(), torch.ones(2).to_sparse(), True),
        (1.0, 1.0 + 1e-15, True),
        (1.0, 1.1, False),
        (None, torch.ones(1), False),
        ("a", "a", True),
    ],
)
def test_two_answers_are_the_same_or_not(one, other, are_same):
    case = case_of(torch.ones(2))
    assert same(Answer(one), Answer(other), case) is are_same
    assert same(Answer(other), Answer(one), case) is are_same


@pytest.mark.parametrize("odd", [torch.float8_e4m3fn, "sparse"])
def test_an_answer_that_torch_cannot_compare_is_not_the_same(odd):
    """A student may return it, and so does many an edit; nothing is raised."""
    if odd == "sparse":
        answer, case = torch.eye(2).to_sparse(), replace(case_of(torch.ones(2)), drawn=True)
    else:
        answer, case = torch.ones(2).to(odd), case_of(torch.ones(2).to(odd))
    assert not same(Answer(answer), case.right, case)


def test_what_is_looked_at_beside_the_value():
    case = case_of(torch.ones(2))
    plain = Answer(torch.ones(2))
    for changes in ({"changed": (0,)}, {"mode_changed": True}, {"elsewhere": (False,)}):
        assert not same(replace(plain, **changes), plain, case)
        assert apart(replace(plain, **changes), case)


@pytest.mark.parametrize("feedback", ["verdict", "message", "diagnosis"])
def test_the_manifest_says_how_much_a_student_is_told(graded, exam, tmp_path, feedback):
    result = graded("attention", BODY % ("q.shape[-1]", "pass"))
    told = result.told(feedback)
    assert told.score == result.score
    for item, all_of_it in zip(told.items, result.items, strict=True):
        assert item.verdict == all_of_it.verdict
        assert bool(item.diagnosis) is (feedback == "diagnosis" and bool(all_of_it.diagnosis))
        assert bool(item.message) is (feedback != "verdict" and bool(all_of_it.message))
    page = tmp_path / "page.html"
    assignment = exam.assignment.model_copy(update={"feedback": feedback})
    write_feedback(result, assignment, "A course", page)
    text = page.read_text()
    assert ("instead of its square root" in text) is (feedback == "diagnosis")
    assert ("The logits are divided by the square root" in text) is (feedback != "verdict")


def test_who_knows_the_mistake_is_given_no_hint_besides(graded):
    item = items_of(graded("attention", BODY % ("q.shape[-1]", "pass")))["attention_scale"]
    assert item.hint
    assert item.hint not in "".join(item.said)
    assert item.hint in "".join(item.told("message").said)


def test_what_is_told_does_not_hang_on_how_long_anything_took(exam):
    """A mask of zeros that are no truth values: many faults together come near to it."""
    component = next(each for each in exam.bank.components if each.name == "causal_mask")
    places = exam.bank.cases_of(component)
    wrong = {
        place: Answer(torch.zeros(exam.bank.cases[place].right.value.shape)) for place in places
    }

    told = set()
    for slow in (1.0, -1.0):
        cases = [replace(each, seconds=slow * at) for at, each in enumerate(exam.bank.cases)]
        bank = Bank(exam.bank.components, cases)
        for _ in range(2):  # the second time, much is remembered
            found = diagnose(bank, wrong, {"causal_mask", "masks_together"})
            told.add(str({item: named(each.faults) for item, each in found.items()}))
    assert len(told) == 1
