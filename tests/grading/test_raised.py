"""A line that raises what is explained elsewhere, in words of its own."""

ATTENTION = """
def scaled_dot_product_attention(q, k, v, mask=None):
    logits = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    logits = torch.where(mask, logits, -torch.inf)
    weights = logits.softmax(-1)
    return weights @ v, weights
"""
ANOTHER = """    if q.shape[-1] > 12 and mask is None:
        q = q + {}
    logits = q @"""


def items_of(result):
    return {each.item: each for each in result.items}


def test_it_is_the_same_mistake_and_paid_for_once(hand_in):
    items = items_of(hand_in("a1_attention", "attention", ATTENTION))
    assert set(items["attention_scale"].faults) == {"attention.NeedsAMask"}
    assert items["attention_output"].score == 0
    lost = [name for name, each in items.items() if each.score < each.points]
    assert lost == ["attention_output", "attention_blocked_rows"]
    assert items["attention_scale"].verdict == "carried"


def test_another_line_that_raises_as_much_is_another_mistake(hand_in):
    text = ATTENTION.replace("    logits = q @", ANOTHER)
    items = items_of(hand_in("a1_attention", "attention", text))
    assert set(items["attention_output"].faults) == {"attention.NeedsAMask"}
    assert not items["attention_scale"].faults
    assert items["attention_scale"].score == 0
