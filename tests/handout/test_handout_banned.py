"""What an assignment does not allow is told in the notebook, and only where a solution uses it."""

import pytest
from students_notebook import ROOT, checks_in, notebook_of

NAME = "a4_layers"
NORM = """
{before}
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    {decorator}
    def forward(self, x):
        sizes = self.weight.shape
        return {call}(x, sizes, self.weight, self.bias, self.eps)
"""
WORDS = "LayerNorm uses torch.nn.functional.layer_norm, which this assignment does not allow"


@pytest.fixture(scope="module")
def checks():
    with checks_in(ROOT / "assignments" / NAME) as found:
        yield found


@pytest.fixture
def notebook(monkeypatch, checks):
    checks.forget("norm_output")
    return notebook_of(NAME, monkeypatch)


def told(checks, item):
    with pytest.raises(checks.CheckFailed) as caught:
        checks.check(item)
    return str(caught.value)


@pytest.mark.parametrize(
    ("before", "decorator", "call"),
    [
        ("", "", "nn.functional.layer_norm"),
        ("import torch.nn.functional as F", "", "F.layer_norm"),
        ("from torch.nn.functional import layer_norm as normed", "", "normed"),
        ("import torch.nn.functional as F\ndone = F.layer_norm", "", "done"),
        ("def done(*given):\n    return nn.functional.layer_norm(*given)", "", "done"),
        ("def done(*given):\n    return nn.functional.layer_norm(*given)", "", "(lambda: done)()"),
        ("", "@torch.enable_grad()", "nn.functional.layer_norm"),
    ],
)
def test_it_is_told_by_name_at_the_first_item_and_pointed_at_from_others(
    checks, notebook, before, decorator, call
):
    source = NORM.format(before=before, decorator=decorator, call=call)
    exec(source, vars(notebook))
    assert WORDS in told(checks, "norm_output").splitlines()[1]
    assert told(checks, "norm_gradients") == (
        f"norm_gradients: not yet right, the same as in norm_output: {WORDS}: see the list at "
        "the top."
    )


def test_who_inherits_from_it_uses_it(checks, notebook):
    exec("class LayerNorm(nn.LayerNorm):\n    pass", vars(notebook))
    assert "LayerNorm uses torch.nn.LayerNorm, " in told(checks, "norm_output")


def test_a_comparison_costs_nothing_nor_what_is_allowed_elsewhere(checks, notebook):
    compare = "def compare(x):\n    return nn.LayerNorm(6)(x) - LayerNorm(6)(x)"
    exec(f"torchs = nn.LayerNorm(6)\n{compare}", vars(notebook))
    checks.check("norm_output")
    source = "encoder = EncoderLayer\nclass EncoderLayer(encoder):\n    norm = nn.LayerNorm"
    exec(source, vars(notebook))
    checks.check("encoder_output")


def test_what_is_banned_throughout_is_told_of_every_part(checks, notebook):
    source = "encoder = EncoderLayer\nclass EncoderLayer(encoder):\n    own = nn.MultiheadAttention"
    exec(source, vars(notebook))
    assert "EncoderLayer uses torch.nn.MultiheadAttention" in told(checks, "encoder_output")
    checks.check("decoder_output")
