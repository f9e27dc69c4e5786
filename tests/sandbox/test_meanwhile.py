"""What is otherwise while a call is made: weights before it, gradients, torch's default dtype."""

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


def test_what_is_kept_from_before_a_module_was_moved_shows(asking, x):
    made = "torch.ones(3, dtype=x.dtype, device=x.device)"
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


@pytest.mark.parametrize(("made", "differs"), [("zeros(1)", True), ("zeros(1).float()", False)])
def test_torchs_default_dtype_is_another_where_it_is_asked(asking, x, made, differs):
    agree = asking("return x * times", f"return x * times + torch.{made}")
    single = x.float()
    agree("scale", single, 3)
    if differs:
        with pytest.raises(Wrong, match=r"with float64 as torch's default dtype: .*dtype"):
            agree("scale", single, 3, double=True)
    else:
        agree("scale", single, 3, double=True)
    agree("scale", single, 3)  # it is what it was
    assert torch.get_default_dtype() == torch.float32
