"""What is built on an earlier part that is wrong is not told to look at itself first."""

import sys

import pytest
import torch
from students_notebook import ROOT, checks_in, notebook_of


def first(item):
    return f"It is built on what {item} looks at, which is not yet right: mend that first."


def said(checks, item):
    with pytest.raises(checks.CheckFailed) as caught:
        checks.check(item)
    return str(caught.value)


@pytest.fixture(scope="module")
def layers():
    with checks_in(ROOT / "assignments" / "a4_layers") as checks:
        yield checks


def test_a_layer_on_a_wrong_norm_is_pointed_at_the_norm(layers, monkeypatch):
    notebook = notebook_of("a4_layers", monkeypatch)
    right = notebook.LayerNorm.forward
    monkeypatch.setattr(notebook.LayerNorm, "forward", lambda self, x: right(self, x) + 0.125)
    assert first("norm_output") not in said(layers, "norm_output")
    told = said(layers, "encoder_output").splitlines()
    assert told[:2] == ["encoder_output: not yet right", f"  {first('norm_output')}"]
    assert any("expected" in line for line in told[2:])


def test_one_that_is_wrong_by_itself_is_not(layers, monkeypatch):
    notebook = notebook_of("a4_layers", monkeypatch)
    right = notebook.EncoderLayer.forward
    wrong = lambda self, *given: right(self, *given) + torch.tensor(0.125)  # noqa: E731
    monkeypatch.setattr(notebook.EncoderLayer, "forward", wrong)
    assert "mend that first" not in said(layers, "encoder_output")


# A module is built on its own methods.


@pytest.fixture(scope="module")
def heads():
    with checks_in(ROOT / "assignments" / "a2_multi_head") as checks:
        yield checks


@pytest.fixture
def module(monkeypatch, heads):
    return notebook_of("a2_multi_head", monkeypatch).MultiHeadAttention


def test_so_is_one_on_two_wrong_methods(heads, module):
    right = module.split_heads, module.merge_heads
    module.split_heads = lambda self, x: right[0](self, x).flip(1) + 0.125
    module.merge_heads = lambda self, x: right[1](self, x) - 0.125
    said(heads, "heads_split")
    for item in ("heads_self_attention", "heads_mask"):
        assert first("heads_split") in said(heads, item)


def test_so_is_one_that_raises_on_what_a_method_returns(heads, module):
    module.split_heads = lambda self, x: None
    told = said(heads, "heads_self_attention")
    assert first("heads_split") in told
    assert "AttributeError" in told  # below it


def test_one_exception_of_both_is_told_as_one(heads, module):
    names = vars(sys.modules["__main__"])
    exec("def split_heads(self, x):\n    raise ValueError('no')", names)
    module.split_heads = names["split_heads"]
    said(heads, "heads_split")
    assert "the same as in heads_split" in said(heads, "heads_self_attention")
