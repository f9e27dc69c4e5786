"""What is known of a mistake that nothing explains: proved by the answers, and told once."""

import pytest
import torch
from reference import ROOT

from autograder.asking.student import Cell, LocalStudent, Question
from autograder.course.manifest import read_course
from autograder.diagnosis.evidence import Case
from autograder.diagnosis.symptoms.contrasts import FEATURES, contrasts, only_where
from autograder.diagnosis.symptoms.inquiry import Answered, Inquiry, is_plain
from autograder.diagnosis.symptoms.known import known
from autograder.diagnosis.symptoms.probes import probes
from autograder.grading import grade, limits_of
from autograder.notebooks.submission import modules_for
from autograder.proof.samples import Sample, answered, as_saved, overlaid
from autograder.release import notebook_of
from autograder.sandbox.host import Server
from autograder.sandbox.modules import Blueprint
from autograder.sandbox.session import Answer
from autograder.sandbox.walls import choose

COURSE = read_course(ROOT)
BODY = """def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    {change}
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0).nan_to_num(0.0)
    return weights @ v, weights
"""
POWER = "weights = scores.softmax(-1) ** 1.1; weights = weights / weights.sum(-1, keepdim=True)"
IN_BATCHES = "weights = (scores + (scores.shape[0] > 1) * scores.abs().mean(0)).softmax(-1)"
IN_FLOAT32 = "weights = (scores * (1.1 if q.dtype == torch.float32 else 1)).softmax(-1)"
RAISES_BACKWARDS = """weights = (scores * 1.01).softmax(-1)
    if mask is not None:
        weights.masked_fill_(~mask, 0.0)"""
WITH_A_MASK = "weights = (scores if mask is None else 1.01 * scores).softmax(-1)"
DETACHED = "weights = scores.softmax(-1); weights = weights.detach() / 2 + weights / 2"
EDGE = "The smallest example found: scaled_dot_product_attention("
UNKNOWN = "No known mistake explains what scaled_dot_product_attention gives."
CHANGES = (
    "The same call gives something else when it is made again: something is kept from one call to "
    "the next, or drawn."
)
FIRST = f"{UNKNOWN} What is known of it:\n"


@pytest.fixture(scope="module")
def layers(exam_of):
    return exam_of("a4_layers")


def student_of(exam, cell, source):
    cells = [
        Cell(each.name, source if each.name == cell else each.source)
        for each in exam.source.reference
    ]
    return LocalStudent(cells, modules_for(exam.source))


def told(exam, cell, source, name):
    """The sentences about a solution cell, in this process."""
    student = student_of(exam, cell, source)
    asking = Inquiry(student, exam.reference, exam.source.parameters)
    asked = [
        Answered(each, student.answer(each.question))
        for each in exam.bank.cases
        if each.question.name == name and is_plain(each)
    ]
    features, properties = exam.symptoms.features, exam.symptoms.properties
    return contrasts(asked, features), dict(map(reversed, probes(asked, asking, properties)))


def attention(change):
    return BODY.format(change=change)


def graded(exam, change, tmp_path, cell="attention"):
    cell = exam.source.defined_in["scaled_dot_product_attention"] if cell == "attention" else cell
    name = exam.assignment.id
    right = answered(COURSE, name, notebook_of(COURSE, name))
    notebook = overlaid(right, f'# x\n# %% solution="{cell}"\n{change}')
    path = Sample("x", "", "wrong", name, as_saved(notebook)).write(tmp_path)
    with Server(choose(), limits_of(exam.assignment)) as server:
        result = grade("x", path, exam, server)
    return {each.item: each for each in result.items}


# Behind the walls


def test_the_first_item_is_told_all_and_the_others_where_it_stands(exam, tmp_path):
    items = graded(exam, attention(POWER), tmp_path)
    said = items["attention_output"].known
    assert said.startswith(FIRST)
    assert "The weights of each query sum to 1." in said
    assert "What the mask blocks changes nothing." in said
    assert len(said.splitlines()) == 2
    example = items["attention_output"].example
    assert str(example).startswith(f"{EDGE}q=[[")
    for name in ("attention_weights", "attention_mask", "attention_gradients"):
        assert (items[name].known, items[name].example) == (said, example)
    assert items["causal_mask"].known is None


def test_what_tells_right_from_wrong_comes_first(exam, tmp_path):
    items = graded(exam, attention(IN_FLOAT32), tmp_path)
    said = ["\n".join(each.said) for each in items.values() if each.known]
    right = (
        "It is right whenever the inputs are float64; whenever the inputs are float32, it is wrong "
        "in 8 of 9 questions."
    )
    assert FIRST + right in said[0]
    assert ") in float32: output: expected" in said[0]


COUNTED = """weights = scores.softmax(-1)
    seen.append(1)
    weights = weights * (1 + 0.01 * (len(seen) % 7))"""


def test_what_hangs_on_earlier_calls_is_told_and_nothing_else(exam, tmp_path):
    items = graded(exam, f"seen = []\n{attention(COUNTED)}", tmp_path)
    said = {each.known for each in items.values() if each.known}
    assert said == {f"{UNKNOWN} {CHANGES}"}
    assert not any(each.example for each in items.values())


def test_what_is_explained_needs_no_more(exam, tmp_path):
    without_a_root = BODY.replace(" / q.shape[-1] ** 0.5", "").format(
        change="weights = scores.softmax(-1)"
    )
    items = graded(exam, without_a_root, tmp_path)
    wrong = [each for each in items.values() if each.verdict == "wrong"]
    assert wrong
    assert all(each.diagnosis and each.known is None for each in wrong)


def test_a_layer(layers, tmp_path):
    source = next(each.source for each in layers.source.reference if each.name == "feed_forward")
    change = source.replace(".relu()", ".relu() ** 1.1")
    items = graded(layers, change, tmp_path, "feed_forward")
    said = "\n".join(items["feed_forward_output"].said)
    assert "Each position is treated by itself." in said
    assert "identity matrices as weights and biases of 0: FeedForward(1, 1, dropout=0.0)" in said
    carried = [each for each in items.values() if each.verdict == "carried"]
    assert carried
    assert all(each.known is None for each in carried)


def test_a_student_is_told_no_more_than_the_course_tells(exam, tmp_path):
    item = graded(exam, attention(POWER), tmp_path)["attention_output"]
    assert item.known in item.said
    assert str(item.example) in item.said
    assert item.told("message").known is item.told("message").example is None
    assert item.told("diagnosis").known == item.known


def test_it_is_said_of_what_it_is_known(items_with, layers):
    sources = {each.name: each.source for each in layers.source.reference}
    items = items_with(
        "a4_layers",
        feed_forward=sources["feed_forward"].replace(".relu()", ".relu() ** 1.1"),
        layer_norm=sources["layer_norm"].replace("* self.weight", "* self.weight ** 1.1"),
    )
    for item, name in (("norm_output", "LayerNorm"), ("feed_forward_output", "FeedForward")):
        first = f"No known mistake explains what {name} gives. What is known of it:\n"
        assert items[item].known.startswith(first)


def test_it_is_known_of_functions_that_are_passed_a_module(items_with, exam_of):
    exam = exam_of("a7_faster_decoding")
    (right,) = (each.source for each in exam.source.reference if each.name == "start_cache")
    wrong = right.replace("stack([values for", "stack([values.abs() ** 1.1 for")
    assert wrong != right
    item = items_with("a7_faster_decoding", start_cache=wrong)["cache_start"]
    assert item.known.startswith("No known mistake explains what start_cache gives.")
    assert "The keys, values and memory_keys are right, the memory_values are not." in item.known
    assert item.example is None  # the weights of a model cannot be typed


def test_nothing_is_known_of_an_item_that_asks_for_an_exception(items_with, exam_of):
    exam = exam_of("a2_multi_head")
    (source,) = (each.source for each in exam.source.reference if each.name == "multi_head")
    assert "raise ValueError" in source
    wrong = source.replace("raise ValueError", "raise TypeError").replace(
        "self.out_proj(", "1.01 * self.out_proj("
    )
    items = items_with("a2_multi_head", multi_head=wrong)
    assert items["heads_self_attention"].known
    assert items["heads_bad_sizes"].verdict == "wrong"
    assert items["heads_bad_sizes"].known is None


def test_shapes_are_not_praised_where_there_are_none(items_with):
    wrong = "def warmup_rate(step, d_model, warmup_steps):\n    raise KeyError('rate')\n"
    known = items_with("a6_translation", warmup_rate=wrong)["warmup_rate"].known
    assert known is None or "dtypes" not in known


def test_where_numbers_are_infinite(items_with):
    nan = attention(POWER).replace("weights.masked_fill(~mask, 0.0).nan_to_num(0.0)", "weights")
    known = items_with("a1_attention", attention=nan)["attention_output"].known
    said = "infinite, but only where the mask blocks every key of some query."
    assert said in known
    assert not known.splitlines()[1].startswith("Some of its numbers")


def test_methods_of_which_it_never_is_say_nothing_of_where_it_is():
    def asked(method, train):
        question = Question(Blueprint("Model", method=method, train=train))
        return Answered(Case("item", question, Answer(None), 1.0), Answer(None))

    encoded, given = asked("encode", True), asked("forward", False)
    assert only_where([encoded, given], [False, True], FEATURES) == ", in what forward gives"
    trained = asked("forward", True)
    where = only_where([encoded, given, trained], [False, True, False], FEATURES)
    assert where == ", but only where the module is in eval mode"


# Contrasts and properties


CELL = "scaled_dot_product_attention"


def of_attention(exam, change):
    return told(exam, exam.source.defined_in[CELL], attention(change), CELL)


def test_wrong_with_a_mask_alone(exam):
    assert of_attention(exam, WITH_A_MASK)[0] == [
        "It is right whenever no mask is passed; whenever a mask is passed, it is wrong "
        "in 31 of 38 questions."
    ]


def test_wrong_everywhere_has_no_contrast(exam):
    assert of_attention(exam, POWER)[0] == []


def test_what_a_check_does_not_look_at_is_not_called_right(exam):
    constant = attention("weights = scores.softmax(-1)").replace("q.shape[-1] ** 0.5", "2")
    lines = told(exam, exam.source.defined_in[CELL], constant, CELL)[0]
    size = "It is right whenever the last axis of the first input has size 4, and wrong whenever "
    assert lines == [f"{size}it has not."]


def test_one_size_that_is_wrong_tells_nothing(exam):
    """It may be wrong for what else there is in these questions."""
    where = exam.source.defined_in[CELL]
    constant = attention("weights = scores.softmax(-1)").replace("q.shape[-1] ** 0.5", "2")
    student = student_of(exam, where, constant)
    plain = [each for each in exam.bank.cases if each.question.name == CELL and is_plain(each)]
    widths = sorted({each.question.args[0].shape[-1] for each in plain} - {4})
    assert len(widths) > 1
    for some, count in ((widths, 1), (widths[:1], 0)):
        cases = [each for each in plain if each.question.args[0].shape[-1] in {4, *some}]
        asked = [Answered(each, student.answer(each.question)) for each in cases]
        said = [each for each in contrasts(asked, exam.symptoms.features) if "has size 4" in each]
        assert len(said) == count


def test_gradients_that_are_nan_are_not_called_those_of_the_values(exam):
    where = exam.source.defined_in[CELL]
    added = attention("weights = scores.softmax(-1).nan_to_num(0.0)").replace(
        "scores.masked_fill(~mask, -torch.inf)",
        "scores + torch.zeros_like(scores).masked_fill(~mask, -torch.inf)",
    )
    student = student_of(exam, where, added)
    answers = {at: student.answer(each.question) for at, each in enumerate(exam.bank.cases)}
    asking = Inquiry(student, exam.reference, exam.source.parameters)
    given = exam.bank.cases, answers, asking, {CELL: where}, exam.symptoms
    said = known(["attention_blocked_rows"], *given)["attention_blocked_rows"].known
    assert "Its values are right, its gradients are not." in said
    assert "The gradients are those of its own values." not in said


def test_nothing_is_said_of_gradients_where_some_raise(exam, tmp_path):
    items = graded(exam, attention(RAISES_BACKWARDS), tmp_path)
    said = "".join(each.known or "" for each in items.values())
    assert UNKNOWN in said
    assert "The gradients are those of its own values." not in said


def test_who_gives_nothing_at_all_is_told_no_more(graded):
    for name in ("misspelled_name", "returns_nothing", "syntax_error"):
        items = graded("a1_attention", name).items
        assert any(each.verdict in ("wrong", "error") for each in items)
        assert all(each.known is None for each in items)


def test_gradients_alone(exam):
    lines, properties = of_attention(exam, DETACHED)
    assert lines[0] == "Its values are right, its gradients are not."
    assert any(each.startswith("The gradients are not those of its own") for each in properties)


def test_gradients_of_wrong_values_belong_to_them(exam):
    properties = of_attention(exam, POWER)[1]
    assert properties["The gradients are those of its own values."]


@pytest.mark.parametrize("dtype", ["float32", "half"])
def test_numbers_too_coarse_for_differences_prove_nothing(exam, dtype):
    coarse = f"weights = (scores / 2).to(torch.{dtype}).softmax(-1).to(q.dtype)"
    properties = of_attention(exam, coarse)[1]
    assert not any("gradients" in each for each in properties)
    assert not any("in the batch" in each and not so for each, so in properties.items())


def test_a_sentence_in_a_batch(exam):
    properties = of_attention(exam, IN_BATCHES)[1]
    assert properties["A sentence alone gives something else than in the batch."] is False


def test_weights_that_do_not_sum_to_1(exam):
    properties = of_attention(exam, "weights = scores.softmax(-1) ** 1.1")[1]
    assert properties["The weights of a query do not sum to 1."] is False


def test_what_a_mask_blocks(exam):
    blocks = "What the mask blocks still changes the result."
    seen = "weights = scores.softmax(-1); v = v + 0.1 * v.mean(-2, keepdim=True)"
    assert of_attention(exam, seen)[1][blocks] is False
    nothing = "weights = scores.softmax(-1); v = v * (1 if mask is None else torch.nan)"
    assert not [each for each in of_attention(exam, nothing)[1] if "the mask blocks" in each]


@pytest.mark.parametrize(
    ("old", "new", "property"),
    [
        ("mask))", "None))", "With a causal mask a position still sees later ones."),
        ("x, x, x, mask", "x, x, x + x.mean(0), mask", "A sentence alone gives something else"),
        ("x, x, x, mask", "x, x, 0 * x + x[:1], mask", "A sentence alone gives something else"),
    ],
)
def test_layers(layers, old, new, property):
    source = next(each.source for each in layers.source.reference if each.name == "encoder_layer")
    _, properties = told(layers, "encoder_layer", source.replace(old, new), "EncoderLayer")
    assert any(each.startswith(property) for each in properties)


def test_a_norm_over_all_positions(layers):
    source = next(each.source for each in layers.source.reference if each.name == "layer_norm")
    wrong = source.replace("x.mean(dim=-1, keepdim=True)", "x.mean()")
    _, properties = told(layers, "layer_norm", wrong, "LayerNorm")
    assert "A position changes with what stands at another one." in properties


@pytest.mark.parametrize(
    ("cell", "name"), [("encoder_layer", "EncoderLayer"), ("decoder_layer", "DecoderLayer")]
)
def test_dropout_does_not_make_positions_strangers(layers, cell, name):
    (source,) = (each.source for each in layers.source.reference if each.name == cell)
    properties = told(layers, cell, source.replace("self.norm1(", "1.1 * self.norm1("), name)[1]
    assert properties
    assert "Each position is treated by itself." not in properties


def test_the_reference_itself_has_every_property(exam, layers):
    for each, name in ((exam, CELL), *((layers, name) for name in ("LayerNorm", "EncoderLayer"))):
        cell = each.source.defined_in[name]
        source = next(one.source for one in each.source.reference if one.name == cell)
        lines, properties = told(each, cell, source, name)
        assert lines == []
        assert properties
        assert all(properties.values())


class Says:
    def __init__(self, answer):
        self._answer = answer

    def call(self, target, *args, **options):
        return self._answer


@pytest.mark.parametrize(
    "value",
    [
        *(None, "text", (), (1, 2), [torch.ones(2)], {"a": 1}, float("inf")),
        (torch.full((2, 3, 5, 6), torch.nan), torch.zeros(0)),
        (torch.ones(5, 6, dtype=torch.bool), torch.ones(1, dtype=torch.float16)),
        (torch.empty(5, 6, device="meta"), None),
    ],
    ids=repr,
)
def test_odd_answers_cost_the_explanation_at_most(exam, value):
    answer = Answer(value, (None, torch.ones(2), torch.zeros(0)))
    asking = Inquiry(Says(answer), exam.reference, exam.source.parameters)
    items = [each.id for each in exam.assignment.items]
    answers = {at: answer for at in range(len(exam.bank.cases))}
    names = exam.source.defined_in
    said = known(items, exam.bank.cases, answers, asking, names, exam.symptoms)
    assert set(said) <= set(items)
