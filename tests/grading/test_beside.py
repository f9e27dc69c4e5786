"""A mistake beside another: an exception, a line, words that leave something out."""

import pytest

import autograder.diagnosis.search as search
from autograder.course.result import Verdict

ROWS_OPENED = """
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        none = ~mask.any(-1, keepdim=True)
        scores = scores.masked_fill(~(mask | none), float("-inf"))
    weights = torch.softmax(scores, dim=-2)
    if mask is not None:
        weights = weights.masked_fill(none, 0.0)
    return weights @ v, weights
"""
SHAPES_ALL_MASKS = """
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1)
    if mask is not None:
        mask = mask.reshape(-1, 1, *scores.shape[-2:]) if mask.dim() == 4 else mask
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return weights @ v, weights
"""
HALF_A_MESSAGE = """
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{n_heads} heads leave a remainder of {d_model % n_heads}")
        self.n_heads, self.weights = n_heads, None
        self.q_proj, self.k_proj = (nn.Linear(d_model, d_model) for _ in range(2))
        self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(2))

    def split_heads(self, x):
        return x.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)

    def merge_heads(self, x):
        return x.transpose(1, 2).flatten(2)

    def forward(self, query, key, value, mask=None):
        q, k = self.split_heads(self.q_proj(query)), self.split_heads(self.k_proj(key))
        v = self.split_heads(self.v_proj(value))
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        self.weights = weights.detach()
        return self.out_proj(self.merge_heads(output))
"""

TINY_WEIGHTS = HALF_A_MESSAGE.replace(
    "{n_heads} heads leave", "{d_model} and {n_heads} leave"
).replace(
    """        self.weights = weights.detach()
        return self.out_proj(self.merge_heads(output))
""",
    """        self.weights = weights.detach().clamp(min=1e-9)
        result = self.out_proj(self.merge_heads(output))
        if mask is not None:
            seen = mask.expand(len(query), self.n_heads, query.shape[1], key.shape[1]).any(-1)
            result = result.masked_fill(~seen.any(1).unsqueeze(-1), 0.0)
        return result
""",
)


def test_a_line_with_which_all_is_right_is_the_mistake_that_is_named(hand_in, monkeypatch):
    monkeypatch.setattr(search, "_in_turn", lambda _: [(False, ()), (True, ())])
    result = hand_in("a1_attention", "attention", ROWS_OPENED, locate=True)
    assert len(result.mistakes) == 1, result.mistakes
    (mistake,) = result.mistakes
    assert mistake.faults == ("attention.SoftmaxOverTheQueries",)
    assert mistake.place.source == "weights = torch.softmax(scores, dim=-2)"
    assert mistake.costs == {"attention_weights": 2.0}
    assert len(mistake.items) == 7
    assert result.score == 20


@pytest.mark.parametrize("locate", [False, True])
def test_what_raises_beside_a_mistake_that_is_named_is_told_and_paid_for(hand_in, locate):
    result = hand_in("a1_attention", "attention", SHAPES_ALL_MASKS, locate=locate)
    named, *others = sorted(result.mistakes, key=lambda each: each.kind != "named")
    assert named.faults == ("attention.DoesNotScale",)
    assert named.costs == {"attention_scale": 2.0}
    assert named.place is None
    assert {each.kind for each in others} == ({"line"} if locate else {"error"})
    mask = next(each for each in result.items if each.item == "attention_mask")
    assert mask.verdict is Verdict.WRONG
    assert "What else fails in this item is not explained by that." in mask.diagnosis
    assert sum(each.costs.get("attention_mask", 0) for each in others) == mask.points


@pytest.mark.parametrize("locate", [False, True])
def test_words_that_leave_something_out_are_told_with_their_line(hand_in, locate):
    result = hand_in("a2_multi_head", "multi_head", HALF_A_MESSAGE, locate=locate)
    told = [each for each in result.mistakes if each.kind == "line"]
    assert [each.what for each in told] == [("The message of its ValueError lacks 10.",)]
    assert told[0].place.source.startswith("raise ValueError(f")
    assert told[0].items == ("heads_bad_sizes",)


def test_what_agrees_to_a_few_digits_is_not_explained_by_what_does_not_show_there(hand_in):
    assert TINY_WEIGHTS.count("clamp") == 1
    result = hand_in("a2_multi_head", "multi_head", TINY_WEIGHTS)
    found = {each.faults: each.items for each in result.mistakes}
    assert found == {
        (): ("heads_weights",),
        ("heads.BiasLostForBlockedRows",): ("heads_blocked_rows", "heads_tensors"),
    }


def test_what_is_right_but_for_mistakes_beside_a_style_is_carried(hand_in):
    result = hand_in(
        "a1_attention", "attention", ROWS_OPENED.replace(" / math.sqrt(q.size(-1))", "")
    )
    assert {each.faults for each in result.mistakes} == {
        ("attention.DoesNotScale",),
        ("attention.SoftmaxOverTheQueries",),
    }
    assert result.score == 18
