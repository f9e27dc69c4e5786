"""What is otherwise while a call is made: weights before it, and gradients."""

import pytest
import torch

from autograder.checking.wrong import Wrong

OLD = "y = self.drop(self.inner(x)) + self.table"
KEPT = """if not hasattr(self, "joined"):
            self.joined = {made}
        y = {used}"""


def keeping(asking, made, used):
    return asking(OLD, KEPT.format(made=made, used=used))


def test_weights_that_are_kept_from_before_they_were_loaded_show(asking, x):
    made = "torch.cat([self.inner.weight, self.inner.bias[:, None]], 1).detach()"
    agree = keeping(
        asking, made, "self.drop(x @ self.joined[:, :-1].T + self.joined[:, -1]) + self.table"
    )
    layer = agree.module("Layer", 6, 3)
    agree(layer, x, before={0: 2 * x})
    with pytest.raises(Wrong, match="after a call with another x, before its weights were loaded:"):
        agree(layer, x, before={0: 2 * x}, before_loading=True)


@pytest.mark.parametrize(
    "made", ["torch.ones(3, dtype=x.dtype, device=x.device)", "self.table[:]"], ids=["new", "view"]
)
def test_what_is_kept_from_before_a_module_was_moved_shows(asking, x, made):
    agree = keeping(asking, made, "self.drop(self.inner(x)) + self.table * self.joined")
    layer = agree.module("Layer", 6, 3)
    agree(layer, x, before={0: 2 * x}, elsewhere=True)
    with pytest.raises(Exception, match="two devices"):
        agree(layer, x, before={0: 2 * x}, elsewhere=True, before_loading=True)


def test_a_module_that_keeps_nothing_is_right_after_its_weights_were_loaded(asking, x):
    agree = asking()
    layer = agree.module("Layer", 6, 3)
    upstream = torch.ones(*x.shape[:-1], 3, dtype=x.dtype)
    for elsewhere in (False, True):
        agree(layer, x, before={0: 2 * x}, before_loading=True, elsewhere=elsewhere)
    agree(layer, x, before={0: 2 * x}, before_loading=True, cotangents=(upstream,))


def test_what_is_done_where_no_gradient_is_wanted_shows(asking, x):
    agree = asking("return x * times", "return x * times if torch.is_grad_enabled() else x")
    agree("scale", x, 3)
    with pytest.raises(Wrong, match=r"under torch\.no_grad\(\): "):
        agree("scale", x, 3, without_grad=True)


@pytest.mark.parametrize("same", [True, False])
def test_a_tensor_that_is_passed_to_both_calls_is_one(asking, x, same):
    agree = asking(
        "return x * times", "return x * (times if KEPT.setdefault(0, x) is x else 0)", "KEPT = {}"
    )
    if same:
        agree("scale", x, 3, before={0: x})
    else:
        with pytest.raises(Wrong):
            agree("scale", x, 3, before={0: x.clone()})


def test_an_earlier_call_too_is_made_without_gradients(asking, x):
    agree = asking(
        "return x * times",
        "KEPT.append(torch.is_grad_enabled())\n    return x * times * (not any(KEPT))",
        "KEPT = []",
    )
    agree("scale", x, 3, before={1: 2}, without_grad=True)
    with pytest.raises(Wrong):
        agree("scale", x, 3, before={1: 2})
