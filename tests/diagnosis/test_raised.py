"""A line that raises what is explained elsewhere, in words of its own."""

import pytest

from autograder.grading import grade
from autograder.proof.proving import Maker

ATTENTION = """
def scaled_dot_product_attention(q, k, v, mask=None):
    logits = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    logits = torch.where(mask, logits, -torch.inf)
    weights = logits.softmax(-1)
    return weights @ v, weights
"""
ANOTHER = """    if q.shape[-1] > 12 and mask is None:
        q = q + mask
    logits = q @"""


@pytest.fixture(scope="module")
def hand_in(course, exam_of, server, tmp_path_factory):
    maker = Maker(course, "a1_attention", tmp_path_factory.mktemp("handed_in"))

    def hand_in(name, text):
        path = maker.hand_in(name, "attention", text)
        return {
            each.item: each for each in grade(name, path, exam_of("a1_attention"), server).items
        }

    return hand_in


def test_it_is_the_same_mistake_and_paid_for_once(hand_in):
    items = hand_in("somebody", ATTENTION)
    assert set(items["attention_scale"].faults) == {"attention.NeedsAMask"}
    assert items["attention_output"].score == 0
    lost = [name for name, each in items.items() if each.score < each.points]
    assert lost == ["attention_output", "attention_blocked_rows"]
    assert items["attention_scale"].verdict == "carried"


def test_another_line_that_raises_as_much_is_another_mistake(hand_in):
    items = hand_in("somebody_else", ATTENTION.replace("    logits = q @", ANOTHER))
    assert set(items["attention_output"].faults) == {"attention.NeedsAMask"}
    assert not items["attention_scale"].faults
    assert items["attention_scale"].score == 0
