"""What an earlier call left: kept, written to, or drawn."""

import pytest
import torch

from autograder.checking.wrong import Wrong


def test_what_is_kept_for_the_same_tensor_shows_beside_another_mask(asking, x):
    right = "y = self.drop(self.inner(x)) + self.table"
    agree = asking(
        f"self.seen = x.detach() * 2\n        {right}",
        f"if x is not self.seen:\n            {right.replace('y =', 'self.y =')}\n"
        "            self.y = self.y if mask is None else self.y * mask\n"
        "        self.seen, y, mask = x, self.y, None",
    )
    layer = agree.module("Layer", 6, 3)
    agree(layer, x, mask=torch.ones(3, dtype=torch.bool))
    none = {"mask": torch.zeros(3, dtype=torch.bool)}
    with pytest.raises(Wrong, match="after a call with another mask: "):
        agree(layer, x, mask=torch.ones(3, dtype=torch.bool), before=none)


def test_what_a_call_wrote_to_its_inputs_is_not_there_for_the_next(asking, x):
    agree = asking(
        "y = self.drop(self.inner(x)) + self.table",
        "y = self.drop(self.inner(x)) + self.table\n        x.mul_(2)",
    )
    layer = agree.module("Layer", 6, 3)
    agree(layer, x, before={"mask": torch.ones(3, dtype=torch.bool)})
    with pytest.raises(Wrong, match="changes its input"):
        agree.unchanged(layer, x)


@pytest.mark.parametrize(
    ("line", "differ"),
    [("", True), ("torch.manual_seed(5)", False), ("torch.set_rng_state(STATE)", False)],
)
def test_what_a_second_call_draws_goes_on_from_the_first_where_it_is_asked(asking, x, line, differ):
    agree = asking(
        "self.seen = x.detach() * 2",
        f"{line}\n        self.seen = torch.rand(5)",
        "STATE = torch.get_rng_state()",
    )
    layer = agree.module("Layer", 6, 3).training()

    def seen(**how):
        (drawn,) = agree._student.call(layer, x, read=("seen",), **how).read
        return drawn

    assert torch.equal(seen(), seen(before={0: x}))
    assert torch.equal(seen(), seen(before={0: x}, drawn_on=True)) != differ


WRITES = """
def over(owner, value):
    owner.kept = value if not hasattr(owner, "kept") else owner.kept.copy_(value)
    return owner.kept
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("self.seen = x.detach() * 2", "self.seen = over(self.drop, x.detach() * 2)"),
        ("+ self.table", "+ self.table\n        y = over(self.drop, y.detach())"),
    ],
    ids=["left", "given"],
)
def test_what_an_earlier_call_gave_or_left_stays_as_it_was(asking, x, old, new):
    agree = asking(old, new, WRITES)
    layer = agree.module("Layer", 6, 3)
    agree(layer, x, read=("seen",))
    with pytest.raises(Wrong, match="it changes what an earlier call gave or left") as told:
        agree(layer, x, read=("seen",), before={0: 2 * x})
    assert told.value.kind == "earlier"


@pytest.mark.parametrize(
    ("key", "how", "said"),
    [
        ("times", "overwritten", "a call whose result was then written to"),
        ("x", "in_place", "a call in which the same x held other numbers"),
    ],
)
def test_what_is_kept_for_what_it_was_made_of_shows(asking, x, key, how, said):
    agree = asking("return x * times", f"return KEPT.setdefault({key}, x * times)", "KEPT = {}")
    before = {"times": {1: 3}, "x": {0: x + 1}}[key]
    agree("scale", x, 3, before=before)
    with pytest.raises(Wrong, match=f"after {said}"):
        agree("scale", x, 3, before=before, **{how: True})


@pytest.mark.parametrize("given", ["x.mul_(times)", "x * times + (0 if times == 2 else torch.nan)"])
def test_what_we_put_back_and_what_is_like_nothing_was_not_written_to(asking, x, given):
    asking("return x * times", f"return {given}")("scale", x, 2, before={1: 3})


def test_what_another_method_has_left_behind_shows(asking, x):
    agree = asking("return x * 2", "self.table = self.table * 2\n        return x * 2")
    layer = agree.module("Layer", 6, 3)
    agree(layer, x, before={0: x + 1})
    with pytest.raises(Wrong, match="after a call of double with other numbers: "):
        agree(layer, x, before={0: x + 1}, before_method="double")
