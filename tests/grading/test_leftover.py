"""What one call leaves to the next is proven in fresh processes, and paid for once."""

from dataclasses import replace

import pytest

from autograder.course.result import Verdict
from autograder.export.cards import as_text, cards_of
from autograder.grading import leftover
from autograder.grading.judge import verdict_on
from autograder.grading.leftover import Leftover
from autograder.grading.mistakes import mistakes_of
from autograder.repair.located import Located

SHARES_SIZES = """
class MultiHeadAttention(nn.Module):
    sizes = {}

    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model} is not a multiple of {n_heads}")
        self.sizes["heads"] = n_heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (
            nn.Linear(d_model, d_model) for _ in range(4)
        )

    @classmethod
    def configure(cls, n_heads):
        cls.sizes["heads"] = n_heads

    def split_heads(self, x):
        return x.unflatten(-1, (self.sizes["heads"], -1)).transpose(1, 2)

    def merge_heads(self, x):
        return x.transpose(1, 2).flatten(2)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.q_proj(query), self.k_proj(key), self.v_proj(value)
        q, k, v = map(self.split_heads, (q, k, v))
        heads, weights = scaled_dot_product_attention(q, k, v, mask)
        self.weights = weights.detach()
        return self.out_proj(self.merge_heads(heads))
"""
CONFIGURED = """
        self.weights = None
        self.configure(n_heads)
"""
OF_EACH_SENTENCE = """        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        heads, weights ="""
SHARES_EPS = """
class Kept:
    pass


class LayerNorm(nn.Module):
    kept = Kept()

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.kept.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        variance = (centred * centred).mean(-1, keepdim=True)
        return centred / (variance + self.kept.eps).sqrt() * self.weight + self.bias
"""
COUNTS_CALLS = """
_calls = []


def warmup_rate(step, d_model, warmup_steps):
    _calls.append(step)
    rate = d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)
    return rate * (1 if len(_calls) < 3 else 0.5)
"""


def test_it_is_one_mistake_that_costs_one_item(hand_in):
    result = hand_in("a2_multi_head", "multi_head", SHARES_SIZES)
    (mistake,) = result.mistakes
    assert mistake.kind == "leftover"
    assert len(mistake.items) > 3
    lost = {each.item: each.points for each in result.items if each.score < each.points}
    assert mistake.costs == lost
    assert len(lost) == 1
    others = [each for each in result.items if each.verdict == "carried"]
    assert {each.item for each in others} == set(mistake.items) - set(lost)
    assert all("left from call to call" in each.message for each in others)
    assert mistake.place is None
    (card,) = cards_of(result, "diagnosis")
    told = as_text(card, result.max_score)
    assert "hangs on the calls before" in told
    assert "Each in a process of its own" in told


def test_no_line_is_told_that_keeps_a_module_from_being_used_again(hand_in):
    """`self.weights = self.configure` in the place of None did, and made all of it right."""
    text = SHARES_SIZES.replace('        self.sizes["heads"] = n_heads\n', CONFIGURED)
    (mistake,) = hand_in("a2_multi_head", "multi_head", text, locate=True).mistakes
    assert mistake.kind == "leftover"
    assert mistake.place is None


def test_what_else_is_wrong_is_named(hand_in):
    text = SHARES_SIZES.replace("self.weights = weights.detach()", "self.weights = weights")
    result = hand_in("a2_multi_head", "multi_head", text)
    assert sorted(each.kind for each in result.mistakes) == ["leftover", "named"]
    named = next(each for each in result.mistakes if each.kind == "named")
    assert "still part of autograd's graph" in named.what[0]
    assert named.items == ("heads_weights",)


def test_it_costs_an_item_in_which_nothing_else_is_wrong(hand_in):
    text = SHARES_SIZES.replace("        heads, weights =", OF_EACH_SENTENCE)
    result = hand_in("a2_multi_head", "multi_head", text)
    costs = {each.kind: each.costs for each in result.mistakes}
    assert costs["named"] == {"heads_mask": 3.0}
    ((item, lost),) = costs["leftover"].items()
    assert (item != "heads_mask", lost) == (True, 2.0)


def test_it_is_told_where_another_mistake_is_in_all_that_it_touches(hand_in):
    text = SHARES_EPS.replace(
        "(variance + self.kept.eps).sqrt()", "(variance.sqrt() + self.kept.eps)"
    )
    result = hand_in("a4_layers", "layer_norm", text)
    assert sorted(each.kind for each in result.mistakes) == ["leftover", "named"]
    named = next(each for each in result.mistakes if each.kind == "named")
    assert "eps is added after the root" in named.what[0]


def test_nothing_is_told_of_whose_cells_take_too_long_to_be_run_again(hand_in, monkeypatch):
    monkeypatch.setattr(leftover, "_SECONDS", -1.0)
    result = hand_in("a6_translation", "warmup_rate", COUNTS_CALLS)
    assert [each.kind for each in result.mistakes] == ["unknown"]
    assert result.trouble is None


def test_every_item_pays_where_the_course_wants_it(hand_in):
    result = hand_in("a2_multi_head", "multi_head", SHARES_SIZES, charge="every_item")
    (mistake,) = result.mistakes
    assert mistake.kind == "leftover"
    assert set(mistake.costs) == set(mistake.items)


def test_a_line_that_is_found_belongs_to_it(exam_of):
    """It is the same mistake where it mends nothing else; one that mends more is another."""
    assignment = exam_of("a6_translation").assignment
    asked = "loss_value", "loss_padding", "warmup_rate"
    items = [verdict_on(assignment.item(each), Verdict.WRONG, "wrong") for each in asked]
    left = Leftover(asked[:2], frozenset(), 3)
    line = Located("smoothed_loss", 3, "kept.append(loss)", "kept", False, asked[:1], False)
    (mistake, other) = mistakes_of(items, (), {}, {}, [line], [left], {})
    assert (mistake.kind, mistake.items) == ("leftover", asked[:2])
    assert mistake.place.source == "kept.append(loss)"
    assert (other.kind, other.items) == ("unknown", asked[2:])
    beyond = replace(line, items=asked[1:])
    kinds = [each.kind for each in mistakes_of(items, (), {}, {}, [beyond], [left], {})]
    assert sorted(kinds) == ["leftover", "line"]


@pytest.mark.parametrize("locate", [True, False])
def test_what_is_wrong_in_the_first_call_is_no_leftover(hand_in, locate):
    text = COUNTS_CALLS.replace("1 if len(_calls) < 3 else 0.5", "1.01 if step > 5 else 1")
    result = hand_in("a6_translation", "warmup_rate", text, locate=locate)
    assert result.mistakes
    assert "leftover" not in [each.kind for each in result.mistakes]
