"""The smallest example: it is wrong, the reference has an answer, and nothing of it can go."""

import math

import pytest
import torch
from reference import ROOT

from autograder.asking.student import Cell, LocalStudent, StudentError
from autograder.course.manifest import read_course
from autograder.course.result import Verdict
from autograder.diagnosis.symptoms import inquiry
from autograder.diagnosis.symptoms.axes import Axes, one_less
from autograder.diagnosis.symptoms.inquiry import Enough, Inquiry
from autograder.diagnosis.symptoms.smallest import _Smaller
from autograder.diagnosis.symptoms.smallest import smallest as smallest_of
from autograder.diagnosis.symptoms.written import problem, typed, written
from autograder.grading import prepare
from autograder.notebooks.submission import modules_for
from autograder.sandbox.session import Answer

ATTENTION = "scaled_dot_product_attention"
POWER = """def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = scores.softmax(-1) ** 1.1
    weights = weights / weights.sum(-1, keepdim=True)
    return weights @ v, weights
"""
SQUARED = """def scaled_dot_product_attention(q, k, v, mask=None):
    weights = (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).softmax(-1)
    return weights @ v, (weights.T if weights.dim() == 2 else weights.transpose(-2, -1))
"""
RAISES = """def scaled_dot_product_attention(q, k, v, mask=None):
    raise IndexError("no\\nsuch  axis")
"""
HALF_A_GRADIENT = """def scaled_dot_product_attention(q, k, v, mask=None):
    weights = (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).softmax(-1)
    weights = (weights + weights.detach()) / 2
    return weights @ v, weights
"""


@pytest.fixture(scope="module")
def layers():
    return prepare(read_course(ROOT), "a4_layers", "for the tests alone")


def asking(exam, cell, source):
    cells = [
        Cell(each.name, source if each.name == cell else each.source)
        for each in exam.source.reference
    ]
    student = LocalStudent(cells, modules_for(exam.source))
    return Inquiry(student, exam.reference, exam.source.parameters)


def cases(exam, name, item=None):
    return [
        each
        for each in exam.bank.cases
        if each.question.name == name and item in (None, each.item) and inquiry.is_plain(each)
    ]


def smallest(given, asking):
    """The smallest example as it is told, or None."""
    found = smallest_of(given, asking)
    return None if found is None else str(found)


def of_attention(exam, source):
    return asking(exam, exam.source.defined_in[ATTENTION], source)


def test_small_enough_to_work_out_by_hand(exam):
    said = smallest(cases(exam, ATTENTION, "attention_output"), of_attention(exam, POWER))
    assert said is not None
    shown = said.removeprefix("The smallest example found: ").removesuffix(".")
    found = smallest_of(cases(exam, ATTENTION, "attention_output"), of_attention(exam, POWER))
    assert (found.of, math.prod(found.shape)) == ("output", len(found.expected))
    assert found.expected != found.got
    assert all(each in shown for each in (*found.expected, *found.got))
    call, _, numbers = shown.partition("): output: expected ")
    expected, _, got = numbers.partition(", got ")
    tensors = eval(f"dict({call.removeprefix(f'{ATTENTION}(')})")
    q, k, v = (torch.tensor(each, dtype=torch.float64) for each in tensors.values())
    assert (q.shape, k.shape, v.shape) == ((1, 1), (2, 1), (2, 1))
    right = (q @ k.T).softmax(-1)
    wrong = right**1.1 / (right**1.1).sum()
    torch.testing.assert_close(
        right @ v, torch.tensor(eval(expected)).double(), rtol=1e-3, atol=1e-3
    )
    torch.testing.assert_close(wrong @ v, torch.tensor(eval(got)).double(), rtol=1e-3, atol=1e-3)


def test_no_axis_can_be_made_smaller(exam):
    case = cases(exam, ATTENTION, "attention_mask")[0]
    shrinking = _Smaller(case, of_attention(exam, POWER))
    found = shrinking._smallest(shrinking._begin())
    axes = Axes(found.question)
    assert exam.reference.answer(found.question).failure is None
    for less in one_less({each: tuple(range(each)) for each in axes.sizes}):
        assert shrinking._try(axes.cut(less)) is None


def test_an_exception_and_a_shape_are_told(exam):
    given = cases(exam, ATTENTION, "attention_output")
    said = smallest(given, of_attention(exam, RAISES))
    assert said.endswith("]]): raised IndexError: no such axis.")
    given = cases(exam, ATTENTION, "attention_weights")
    said = smallest(given, of_attention(exam, SQUARED))
    assert "weights: expected shape (2, 1), got shape (1, 2)" in said


def test_an_exception_is_cut_at_a_word(exam):
    words = f"{'what is too long ' * 3}{'to be told here ' * 3}at all"
    raises = RAISES.replace('"no\\nsuch  axis"', repr(words))
    said = smallest(cases(exam, ATTENTION), of_attention(exam, raises))
    cut = said.partition("raised IndexError: ")[2].removesuffix(" ...")
    assert words.startswith(f"{cut} ")
    assert 40 < len(cut) < 70


def test_what_shows_in_late_digits_alone_is_no_example(exam, layers):
    single = POWER.replace("scores.softmax(-1) ** 1.1", "scores.float().softmax(-1).double()")
    assert smallest(cases(exam, ATTENTION), of_attention(exam, single)) is None
    source = next(each.source for each in layers.source.reference if each.name == "layer_norm")
    more = asking(layers, "layer_norm", source.replace("+ self.eps", "+ 2 * self.eps"))
    given = cases(layers, "LayerNorm", "norm_eps")
    said = smallest(given, more)
    assert said is not None
    expected, got = said.removesuffix(".").partition(": expected ")[2].split(", got ")
    expected, got = (torch.tensor(eval(each)).flatten() for each in (expected, got))
    assert ((expected - got).abs() > 0.01 * expected.abs()).any()


def test_numbers_that_hang_on_drawn_weights_are_no_example(exam_of):
    heads = exam_of("a2_multi_head")
    (source,) = (each.source for each in heads.source.reference if each.name == "multi_head")
    exchanged = source.replace("self.k_proj(key)", "self.v_proj(key)")
    assert exchanged != source
    said = smallest(cases(heads, "MultiHeadAttention"), asking(heads, "multi_head", exchanged))
    assert said is None
    drawn = "self.v_proj(value) if self.q_proj.bias.eq(0).all() else [][0]"
    raising = source.replace("self.v_proj(value)", drawn)
    said = smallest(cases(heads, "MultiHeadAttention"), asking(heads, "multi_head", raising))
    assert said.startswith("The smallest example found, with weights that are drawn: ")
    assert "raised IndexError" in said


def test_of_many_numbers_the_worst_is_told_and_no_question_is_cut_short(exam):
    case = cases(exam, ATTENTION, "attention_output")[0]
    value = tuple(each * 1.5 for each in case.right.value)
    found = problem(case, Answer(value), ["q", "k", "v"])
    assert found.said == found.short
    assert found.obvious
    assert found.said.startswith("output at [")
    assert "..." not in found.said


def test_a_gradient_is_told_with_what_is_differentiated(exam):
    given = cases(exam, ATTENTION, "attention_gradients")
    said = smallest(given, of_attention(exam, HALF_A_GRADIENT))
    assert "): gradient of sum(output) by q: expected [[" in said


def test_float32_stays_float32(exam):
    given = [
        each
        for each in cases(exam, ATTENTION, "attention_tensors")
        if each.question.args[0].dtype == torch.float32
    ]
    assert ") in float32: output: expected" in smallest(given, of_attention(exam, POWER))


def test_what_is_right_has_no_example(exam):
    right = next(
        each.source
        for each in exam.source.reference
        if each.name == exam.source.defined_in[ATTENTION]
    )
    assert smallest(cases(exam, ATTENTION), of_attention(exam, right)) is None


def test_tokens_and_sizes_of_functions(exam):
    wrong = "def causal_mask(size, device=None):\n    return torch.ones(size, size).tril(1) > 0\n"
    said = smallest(cases(exam, "causal_mask"), asking(exam, "causal_mask", wrong))
    assert "causal_mask(size=2): the result: expected [[True, False], [True, True]]" in said
    wrong = "def padding_mask(tokens, pad_id=0):\n    return (tokens == 0)[:, None, None, :]\n"
    said = smallest(cases(exam, "padding_mask"), asking(exam, "padding_mask", wrong))
    assert "]]): the result: expected [[[[" in said


def test_a_module_with_weights_that_need_no_writing_down(layers):
    source = next(each.source for each in layers.source.reference if each.name == "feed_forward")
    wrong = asking(layers, "feed_forward", source.replace(".relu()", ".relu() ** 1.1"))
    said = smallest(cases(layers, "FeedForward", "feed_forward_output"), wrong)
    assert ", with identity matrices as weights and biases of 0: FeedForward(1, 1, d" in said
    assert "(x=[" in said


def test_a_module_whose_sizes_depend_on_each_other(layers):
    source = next(each.source for each in layers.source.reference if each.name == "encoder_layer")
    wrong = asking(layers, "encoder_layer", source.replace("self.norm1(x", "self.norm1(1.1 * x"))
    said = smallest(cases(layers, "EncoderLayer", "encoder_output"), wrong)
    assert "identity matrices and ones as weights and biases of 0: EncoderLayer(" in said
    assert len(said) < 300


def test_elsewhere_counted_and_values_are_left_out(exam, layers):
    plain = [each for each in exam.bank.cases if inquiry.is_plain(each)]
    assert plain
    for each in plain:
        assert not each.is_value
        assert not each.counts_calls
        assert not each.question.how.elsewhere
    assert smallest([each for each in exam.bank.cases if each.is_value], None) is None


class Dies:
    def __init__(self):
        self.asked = 0

    def call(self, target, *args, **options):
        self.asked += 1
        raise StudentError(Verdict.TIMEOUT, "no answer")


def test_a_dead_student_is_not_asked_again(exam):
    dies = Dies()
    asking = Inquiry(dies, exam.reference, exam.source.parameters)
    assert smallest(cases(exam, ATTENTION), asking) is None
    assert dies.asked == 1
    with pytest.raises(Enough):
        asking.ask(exam.bank.cases[-1].question)


class Says:
    def __init__(self, answer):
        self._answer = answer

    def call(self, target, *args, **options):
        return self._answer


ODD = (
    *(None, "text", (), (1, 2), [torch.ones(2)], {"a": 1}, float("nan"), 10**12),
    torch.full((2, 3, 5, 6), torch.nan),
    torch.zeros(0),
    torch.empty(3, 4, device="meta"),
    torch.ones(2, 2, dtype=torch.int64),
    (torch.ones(5, 6, dtype=torch.float16), torch.ones(1, dtype=torch.bool)),
    (torch.empty(4, device="meta"), None),
)


@pytest.mark.parametrize("value", ODD, ids=lambda value: type(value).__name__)
def test_odd_answers_are_taken_as_they_are(exam, value):
    says = Inquiry(Says(Answer(value, read=(value,))), exam.reference, exam.source.parameters)
    said = smallest(cases(exam, ATTENTION), says)
    assert said is None or said.startswith("The smallest example found")


def test_questions_are_limited(exam):
    class Counts(Says):
        asked = 0

        def call(self, target, *args, **options):
            Counts.asked += 1
            return super().call(target, *args, **options)

    noise = Counts(Answer((torch.randn(5, 6), torch.randn(5, 7))))
    smallest(cases(exam, ATTENTION), Inquiry(noise, exam.reference, exam.source.parameters))
    assert Counts.asked <= inquiry.QUESTIONS


def test_numbers_are_short_and_whole_where_they_are():
    assert written(torch.tensor([[1.0, -0.0, 2.5, 1e4, 1 / 3]])) == "[[1, 0, 2.5, 10000, 0.3333]]"
    assert written(torch.tensor([True, False])) == "[True, False]"
    assert written(torch.tensor(float("nan"))) == "nan"
    assert written(torch.tensor(-torch.inf)) == "-inf"
    assert written(None) == "None"


def test_a_question_is_cut_without_touching_the_one_it_comes_from(exam):
    case = cases(exam, ATTENTION, "attention_gradients")[0]
    before = case.question.copied()
    axes = Axes(case.question)
    cut = axes.cut(dict.fromkeys(axes.sizes, (0,)))
    assert all(set(each.shape) == {1} for each in inquiry.tensors(cut))
    assert all(each.requires_grad for each in cut.args)
    assert case.question.is_same(before)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("numbers", [[0.1, -2.0], [1002.4, 1001.2], [1e6 + 0.25], [torch.inf]])
def test_who_types_an_input_gets_the_very_same(numbers, dtype):
    value = torch.tensor(numbers, dtype=dtype)
    assert torch.tensor(eval(typed(value), {"inf": torch.inf}), dtype=dtype).equal(value)


def test_an_input_has_no_more_digits_than_it_takes():
    assert typed(torch.tensor([[0.1, 2.0]])) == "[[0.1, 2]]"
    assert typed(torch.tensor([1002.4], dtype=torch.float64)) == "[1002.4]"
    assert typed(torch.tensor([1, 2])) == "[1, 2]"
    assert typed(True) == "True"
