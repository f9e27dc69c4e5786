"""One mistake, one price: what is carried, what is not, and what the manifest says of it."""

import pytest

from autograder.course.result import Verdict
from autograder.diagnosis import Alone, Diagnosis, can_be_run
from autograder.grading import explaining
from autograder.grading.carried import with_contradictions
from autograder.grading.charge import charge_once
from autograder.grading.judge import verdict_on
from autograder.grading.mistakes import mistakes_of

NO_SCALE = """
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return weights @ v, weights
"""
HEADS = """
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model %% n_heads:
            raise ValueError(f"{d_model} does not share out among {n_heads}")
        self.n_heads, self.d_k, self.weights = n_heads, d_model // n_heads, None
        self.q_proj, self.k_proj = (nn.Linear(d_model, d_model, bias=False) for _ in range(2))
        self.v_proj, self.out_proj = (nn.Linear(d_model, d_model, bias=False) for _ in range(2))

    def split_heads(self, x):
        return x.unflatten(-1, (self.n_heads, self.d_k)).transpose(1, 2)

    def merge_heads(self, x):
        return x.transpose(1, 2).flatten(2)

    def forward(self, query, key, value, mask=None):
        q = self.split_heads(self.q_proj(query))
        k = self.split_heads(self.k_proj(%s))
        v = self.split_heads(self.v_proj(value))
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        self.weights = weights.detach()
        return self.out_proj(self.merge_heads(output))
"""


def test_a_known_mistake_costs_the_item_meant_for_it_and_no_other(hand_in):
    result = hand_in("a1_attention", "attention", NO_SCALE)
    assert result.score == 20
    lost = [each for each in result.items if each.score < each.points]
    assert [each.item for each in lost] == ["attention_scale"]
    carried = [each for each in result.items if each.verdict is Verdict.CARRIED]
    assert len(carried) == 6
    said, evidence = carried[0].message.split("\n", 1)
    assert said == "It is right except for the mistake in “The scale”."
    assert "of the values differ" in evidence
    (mistake,) = result.mistakes
    assert mistake.faults == ("attention.DoesNotScale",)
    assert mistake.costs == {"attention_scale": 2.0}
    assert len(mistake.items) == 7


def test_one_mistake_that_is_known_in_two_ways_is_told_and_paid_for_once(exam_of):
    """A large number does what infinity does, but where no key is left."""
    exam = exam_of("a7_faster_decoding")
    attend = next(each for each in exam.bank.components if each.name == "attend")
    two = [each for each in attend.faults if each.name.startswith("MaskTurnedRound")]
    asked = "attend_mask", "step_output"
    found = {item: Diagnosis((way,), 1) for item, way in zip(asked, two, strict=True)}
    items = [verdict_on(exam.assignment.item(each), Verdict.WRONG, "wrong") for each in asked]
    items, payers = charge_once(items, found, lambda *_: True, 1.0)
    (mistake,) = mistakes_of(items, (), found, payers, (), (), {})
    assert mistake.items == asked
    assert mistake.costs == {"attend_mask": 1.0}


def test_one_mistake_that_is_made_in_two_parts_is_told_and_paid_for_once(exam_of):
    """Whoever norms before the sublayers thinks so of both layers: the dearer item pays."""
    exam = exam_of("a4_layers")
    by_name = {each.name: each for each in exam.bank.components}
    asked = "encoder_output", "encoder_mask", "decoder_output", "decoder_masks"
    of = {item: by_name[f"{item.partition('_')[0]}_layer"].faults for item in asked}
    pre_norm = {x: next(f for f in of[x] if f.name == "PreNorm") for x in asked}
    found = {item: Diagnosis((fault,), 1) for item, fault in pre_norm.items()}
    items = [verdict_on(exam.assignment.item(each), Verdict.WRONG, "wrong") for each in asked]
    items, payers = charge_once(items, found, lambda *_: True, 1.0)
    (mistake,) = mistakes_of(items, (), found, payers, (), (), {})
    assert mistake.items == asked
    assert mistake.costs == {"decoder_output": 3.0}
    assert len(mistake.what) == len(mistake.think) == 1
    assert mistake.faults == ("encoder_layer.PreNorm", "decoder_layer.PreNorm")


def test_what_nothing_explains_is_a_mistake_all_the_same(exam_of):
    exam = exam_of("a7_faster_decoding")
    work, stub = (exam.assignment.item(each) for each in ("cached_work", "cached_end"))
    items = [
        verdict_on(work, Verdict.WRONG, "One position a step.\nexpected 5, got 9"),
        verdict_on(stub, Verdict.MISSING, "still the stub"),
    ]
    (mistake,) = mistakes_of(items, (), {}, {}, (), (), {})
    assert (mistake.kind, mistake.items) == ("unknown", ("cached_work",))
    assert mistake.proof.startswith("No known mistake explains it.")
    assert mistake.proof.endswith("expected 5, got 9")
    assert mistake.costs == {"cached_work": work.points}


@pytest.mark.parametrize("locate", [True, False])
def test_where_nothing_explains_it_a_line_that_does_nothing_is_told(hand_in, locate):
    text = (HEADS % "key").replace("return x.transpose(1, 2).flatten(2)", "pass")
    result = hand_in("a2_multi_head", "multi_head", text, locate=locate)
    by_kind = {each.kind: each for each in result.mistakes}
    place, think = by_kind["unknown"].place, by_kind["unknown"].think
    if locate:
        assert (place.cell, place.source) == ("multi_head", "pass")
        assert think == ("This line does nothing. Is something missing there?",)
    else:
        assert (place, think) == (None, ())
    assert sum(each.score for each in result.items) < result.max_score


TWO_PRODUCTS = """
def scaled_dot_product_attention(q, k, v, mask=None):
    weights = q @ k.transpose(-2, -1)
    return weights @ v, weights
"""


def test_what_agrees_only_in_part_with_what_is_told_is_not_carried(hand_in):
    """No mask is read and there is no softmax: nobody knows what an empty row would get."""
    result = hand_in("a1_attention", "attention", TWO_PRODUCTS)
    assert result.score == 22 - 8
    kept = {each.item for each in result.items if each.verdict is Verdict.CARRIED}
    assert "attention_blocked_rows" not in kept


MISTYPED = """
def scaled_dot_product_attention(q, k, v, mask=None):
    d_k = q.shape[-1]
    weights = (q @ k.transpose(-2, -1) / math.sqrt(dk)).softmax(-1)
    return weights @ v, weights
"""


def test_an_exception_that_is_mended_in_one_item_and_hides_more_in_others_is_told_once(hand_in):
    result = hand_in("a1_attention", "attention", MISTYPED, locate=True)
    told = [each.place for each in result.mistakes if each.place]
    assert len(told) == len({(each.cell, each.line) for each in told}) == 1


def test_the_manifest_may_charge_every_item(hand_in):
    result = hand_in("a1_attention", "attention", NO_SCALE, charge="every_item")
    assert result.score == 8
    assert not [each for each in result.items if each.verdict is Verdict.CARRIED]
    (mistake,) = result.mistakes
    assert sum(mistake.costs.values()) == 14


def test_what_is_carried_may_keep_a_share(hand_in):
    result = hand_in("a1_attention", "attention", NO_SCALE, carried_share=0.5)
    assert result.score == 8 + 12 / 2
    (carried, *_) = (each for each in result.items if each.verdict is Verdict.CARRIED)
    assert "The mistake there costs 50% here." in carried.message


def test_parameters_that_cannot_be_loaded_cost_their_item_when_all_else_is_right(hand_in):
    """The checks cannot load them: the module is asked again with weights of its own shapes."""
    result = hand_in("a2_multi_head", "multi_head", HEADS % "key")
    lost = {each.item for each in result.items if each.score < each.points}
    assert lost == {"heads_parameters"}


PARTS = "q_proj", "k_proj", "v_proj", "out_proj"
OTHER_NAMES = HEADS.replace(", bias=False", "")
IN_A_LIST = OTHER_NAMES.replace("self.q_proj, self.k_proj =", "self.all = [*").replace(
    "self.v_proj, self.out_proj =", "self.all += [*"
)
IN_A_LIST = IN_A_LIST.replace("for _ in range(2))\n", "for _ in range(2))]\n")
for number, part in enumerate(PARTS):
    OTHER_NAMES = OTHER_NAMES.replace(f"self.{part}", f"self.w_{part[0]}")
    IN_A_LIST = IN_A_LIST.replace(f"self.{part}", f"self.all[{number}]")


@pytest.mark.parametrize("text", [OTHER_NAMES, IN_A_LIST], ids=["names", "list"])
def test_parameters_that_are_not_found_cost_their_item_alone(hand_in, text):
    """Weights in a plain list cannot be set: they are left as they are drawn."""
    result = hand_in("a2_multi_head", "multi_head", text % "key")
    lost = {each.item for each in result.items if each.score < each.points}
    assert lost == {"heads_parameters"}
    result = hand_in("a2_multi_head", "multi_head", text % "query")
    lost = {each.item for each in result.items if each.score < each.points}
    assert {"heads_parameters", "heads_cross_attention"} <= lost


@pytest.mark.parametrize(
    "line", ["self.register_buffer('root', torch.ones(1))", "self.more = nn.Linear(3, 3)"]
)
@pytest.mark.parametrize(("key", "lost"), [("key", ()), ("query", ("heads_cross_attention",))])
def test_parameters_besides_cost_their_item_alone(hand_in, line, key, lost):
    """What they are loaded beside is looked at, whether anybody knows them or not."""
    text = HEADS.replace(", bias=False", "").replace(
        "super().__init__()", f"super().__init__()\n        {line}"
    )
    # Where most of an item raises, it is a line that proves that the rest of it is right.
    result = hand_in("a2_multi_head", "multi_head", text % key, locate=bool(lost))
    assert {x.item for x in result.items if x.score < x.points} == {"heads_parameters", *lost}


def test_behind_parameters_that_cannot_be_loaded_no_other_mistake_hides(hand_in):
    result = hand_in("a2_multi_head", "multi_head", HEADS % "query")
    lost = {each.item for each in result.items if each.score < each.points}
    assert lost == {"heads_parameters", "heads_cross_attention"}  # each is paid for once
    assert len({fault for each in result.mistakes for fault in each.faults}) == 2


GIVES_BACK = """
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1, self.norm2 = LayerNorm(d_model), LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        return x
"""


def test_of_next_to_nothing_not_all_is_right(hand_in):
    """Two mistakes explain it; but beside them most that goes wrong otherwise is not seen."""
    result = hand_in("a4_layers", "encoder_layer", GIVES_BACK, locate=False)
    lost = {each.item for each in result.items if each.score < each.points}
    assert lost == {"encoder_output", "encoder_mask", "encoder_dropout"}


def alone_of(exam, name, ask=None):
    """Gives a fault of the bank's as a submission, and what fails through it alone."""
    component, fault = next(
        (each, fault) for each in exam.bank.components for fault in each.faults if fault.id == name
    )
    places = exam.bank.cases_of(component)
    answers = {each: exam.bank.answer(component, (fault,), each) for each in places}
    return (fault,), component, Alone(exam.bank, answers, ask)


@pytest.mark.parametrize(
    ("name", "item", "alone"),
    [
        ("DoesNotScale", "attention_mask", True),
        ("ComparesQueriesWithQueries", "attention_scale", True),  # seen where sentences attend
        ("ReturnsTheWeightsFirst", "attention_gradients", False),  # asked for others, it raises
    ],
)
def test_what_a_mistake_hides_is_not_carried(exam, name, item, alone):
    """All other steps may be anything where nothing that is wrong in them would be seen."""
    faults, _, found = alone_of(exam, f"attention.{name}")
    assert found.fails_through(faults, item) is alone


def test_what_other_items_ask_shows_that_one_is_right(exam):
    """It raises wherever there is no mask; where there is one, a wrong scale would be seen."""
    faults, component, found = alone_of(exam, "attention.NeedsAMask")
    assert found.fails_through(faults, "attention_scale")
    masked = [each for each in exam.bank.components if each is component]
    places = exam.bank.cases_of(*masked)
    answers = {
        each: exam.bank.answer(component, faults, each)
        for each in places
        if exam.bank.cases[each].item == "attention_scale"
    }
    assert not Alone(exam.bank, answers, None).fails_through(faults, "attention_scale")


@pytest.mark.parametrize(
    ("name", "item", "runs"),
    [
        ("NarrowProjections", "heads_extremes", True),
        ("ProjectionsInAList", "heads_mask", True),
        ("WidthOf512", "heads_mask", False),
        ("SizesLookedAtBackwards", "heads_extremes", True),  # as many heads as numbers
        ("SizesLookedAtBackwards", "heads_mask", False),
    ],
)
def test_it_is_known_whether_a_fault_leaves_anything_to_run(exam_of, name, item, runs):
    exam = exam_of("a2_multi_head")
    faults, component, _ = alone_of(exam, f"heads.{name}")
    assert can_be_run(component, faults, exam.bank, item) is runs


def test_what_cannot_be_explained_is_a_word_for_staff(hand_in, monkeypatch):
    """The verdicts stand at their full price, which may be too high."""
    monkeypatch.setattr(explaining, "diagnose", lambda *_: 1 / 0)
    result = hand_in("a1_attention", "attention", NO_SCALE)
    assert result.score == 8
    assert not result.mistakes
    assert "ZeroDivisionError" in result.trouble
    assert result.asks_for_staff
    assert not result.needs_staff


def test_a_mistake_that_nobody_knows_is_paid_for_once_where_its_line_is_proven(hand_in):
    """The bank has no such fault; without that product all is right."""
    text = NO_SCALE.replace("k.transpose(-2, -1)", "k.transpose(-2, -1) / q.shape[-1] ** 0.5 * 1.7")
    silent = hand_in("a1_attention", "attention", text)
    assert silent.score == 8
    result = hand_in("a1_attention", "attention", text, locate=True)
    (mistake,) = result.mistakes
    assert mistake.kind == "line"
    assert "* 1.7" in mistake.place.source
    assert mistake.costs == {"attention_mask": 3.0}
    assert result.score == 19
    assert not any(each.hint for each in result.items)  # which ask for something else


def test_of_items_that_are_worth_the_same_the_first_pays(hand_in):
    """The causal mask pays for what is wrong in it, not what is built on it."""
    text = """
def causal_mask(size, device=None):
    return torch.ones(siz, size, dtype=torch.bool, device=device).tril()
"""
    result = hand_in("a1_attention", "causal_mask", text, locate=True)
    (mistake,) = result.mistakes
    assert set(mistake.items) == {"causal_mask", "masks_together"}
    assert mistake.costs == {"causal_mask": 2.0}


def test_parts_in_which_nothing_was_lost_carry_nothing(exam):
    one, other, *_ = exam.assignment.items
    items = [verdict_on(one, Verdict.PASSED, None), verdict_on(other, Verdict.CARRIED, "carried")]
    parts = {other.id: ["scaled_dot_product_attention"]}
    own = {one.id: ["attention"], other.id: ["causal_mask"]}
    judged = [items[0], verdict_on(other, Verdict.WRONG, "as it was")]
    told = with_contradictions(items, parts, own, exam.source, judged)
    assert [each.verdict for each in told] == [Verdict.PASSED, Verdict.INTERNAL]
    assert told[1].score is None
    assert "no check sees what is wrong there" in told[1].message
    items[0] = verdict_on(one, Verdict.WRONG, "wrong")
    assert with_contradictions(items, parts, own, exam.source, judged) == items


def test_a_part_whose_mistake_is_paid_for_elsewhere_carries_nothing_and_troubles_nobody(exam):
    """Some student's code made this: all items about the part are carried by another mistake."""
    one, other, third, *_ = exam.assignment.items
    carried = [verdict_on(each, Verdict.CARRIED, "carried") for each in (one, other)]
    carried = [each.model_copy(update={"score": each.points}) for each in carried]
    parts = {other.id: ["scaled_dot_product_attention"]}
    own = {one.id: ["attention"], other.id: ["causal_mask"]}
    judged = [verdict_on(each, Verdict.WRONG, "as it was") for each in (one, other, third)]
    told = with_contradictions([*carried, judged[2]], parts, own, exam.source, judged)
    assert told == [carried[0], judged[1], judged[2]]


def test_nothing_is_carried_where_nothing_was_lost(exam):
    one, other, *_ = exam.assignment.items
    items = [verdict_on(one, Verdict.PASSED, None), verdict_on(other, Verdict.CARRIED, "carried")]
    told = with_contradictions(items, {}, {}, exam.source, items)
    assert [each.verdict for each in told] == [Verdict.PASSED, Verdict.INTERNAL]
    items[0] = verdict_on(one, Verdict.MISSING, "the stub")
    assert with_contradictions(items, {}, {}, exam.source, items) == items


@pytest.mark.parametrize("change", ["", " * 0.37"], ids=["known", "unknown"])
def test_a_wrong_part_of_an_earlier_assignment_in_an_added_cell_costs(hand_in, exam_of, change):
    """What is given is there, too; it replaces nothing that nobody lost a point for."""
    text = NO_SCALE.replace("k.transpose(-2, -1)", f"k.transpose(-2, -1){change}")
    (cell,) = (each for each in exam_of("a2_multi_head").source.reference if each.solution)
    result = hand_in("a2_multi_head", "multi_head", f"{text}\n\n{cell.source}")
    lost = [each.item for each in result.items if each.score < each.points]
    assert lost
    assert result.score < result.max_score


def test_mistakes_beside_parameters_that_cannot_be_loaded_are_named(hand_in, exam_of):
    """Asked again with weights that fit, the others show, and tell which of two norms it is."""
    heads = next(x for x in exam_of("a2_multi_head").bank.components if x.name == "heads")
    names = "LayerNormAndResidualInside", "BlockedRowsBecomeUniform", "WeightsNotDetached"
    cell = heads.cell_with([x for x in heads.faults if x.name in names])
    result = hand_in("a2_multi_head", "multi_head", cell)
    assert {x for each in result.mistakes for x in each.faults} == {f"heads.{x}" for x in names}


def test_what_one_item_proves_settles_another_that_was_looked_at_behind_a_right_part(graded):
    """Of two that give all that an item asks, one is proven where the decoder is replaced."""
    result = graded("a5_transformer", "scanned")
    faults = [each.faults for each in result.mistakes]
    assert sorted(faults) == [
        ("decoder.AddsTheInputOfEachLayer",),
        ("greedy_decode.PaddedInTheEnd",),
    ]
