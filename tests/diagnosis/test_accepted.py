"""Who draws random numbers in a way of their own, and right, is told of what is wrong beside it."""

import pytest

from autograder.course import Verdict

# Dropout by hand, which is right but for dropout=1.0; `{}` is how what stays is drawn.
NETWORK = """
class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.p = dropout

    def forward(self, x):
        h = self.linear1(x).relu()
        if self.training and self.p > 0:
            stays = {}
            h = h * stays / (1 - self.p)
        return self.linear2(h)
"""
OWN_WAY = "torch.rand(h.numel(), device=h.device).flip(0).view_as(h) >= self.p"
SAME_FOR_ALL = "torch.rand(h.shape[-1], device=h.device).flip(0) >= self.p"
ITEM = "feed_forward_dropout"


def test_who_draws_is_known(exam_of):
    cases = exam_of("a4_layers").bank.cases
    drawn = {(each.item, each.sentence) for each in cases if each.draws}
    assert len(drawn) > 1
    assert all(item.endswith("_dropout") for item, _ in drawn)
    # Nothing is drawn where all or none is dropped, nor in eval mode.
    assert not any("dropout=1.0" in said or "eval" in said for _, said in drawn)


@pytest.mark.parametrize("stays", [OWN_WAY, SAME_FOR_ALL])
def test_what_is_wrong_beside_right_dropout_is_named(stays, items_with):
    """And beside wrong dropout that nobody knows, nothing is."""
    items = items_with("a4_layers", feed_forward=NETWORK.format(stays))
    assert {each.item for each in items.values() if each.verdict is Verdict.WRONG} == {ITEM}
    named = "With dropout=1.0 the result is NaN" in (items[ITEM].diagnosis or "")
    assert named is (stays is OWN_WAY)
