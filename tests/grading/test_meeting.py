"""A mistake that shows where two situations meet costs its item, and silences no other."""

import pytest

from autograder.course import Verdict

ITEM = "attention_tensors"
MEETS = """
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1)%s
    if mask is not None:
        if mask.dim() == 2 and not q.is_contiguous():
            mask = mask.clone()
            mask[..., 0] = True
        blocked = (~mask).expand(scores.shape)
        scores = scores.masked_fill(blocked, float("-inf"))
        weights = scores.softmax(-1).masked_fill(blocked, 0.0)
    else:
        weights = scores.softmax(-1)
    return weights @ v, weights
"""


@pytest.mark.parametrize("scaled", [True, False])
def test_a_mistake_where_two_situations_meet_is_caught_and_hides_no_other(hand_in, scaled):
    scale = " / q.shape[-1] ** 0.5" if scaled else ""
    result = hand_in("a1_attention", "attention", MEETS % scale, locate=False)
    lost = {each.item for each in result.items if each.score < each.points}
    assert lost == ({ITEM} if scaled else {ITEM, "attention_scale"})
    named = {fault for each in result.mistakes for fault in each.faults}
    assert named == (set() if scaled else {"attention.DoesNotScale"})
    tensors = next(each for each in result.items if each.item == ITEM)
    assert tensors.verdict is Verdict.WRONG
