"""What is recorded in cases.json comes back as it was, to the bit and to the layout."""

import json
import math
import sys

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from students_notebook import ROOT, checks_in, notebook_of

from autograder.handout.checks.recorded import from_json
from autograder.release.cases import _to_json


@st.composite
def tensors(draw):
    dtype = draw(st.sampled_from([torch.float32, torch.float64, torch.bool, torch.int64]))
    shape = draw(st.lists(st.integers(0, 4), max_size=4))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**32)))
    tensor = (3 * torch.randn(shape, generator=generator, dtype=torch.float64)).to(dtype)
    tensor = tensor.permute(draw(st.permutations(range(len(shape)))))
    if dtype.is_floating_point:
        tensor.requires_grad_(draw(st.booleans()))
    return tensor


def same(one, other):
    assert one.dtype == other.dtype
    assert one.shape == other.shape
    assert torch.equal(one.detach(), other.detach())
    assert one.requires_grad == other.requires_grad
    assert one.is_leaf
    assert one.is_contiguous() == other.is_contiguous()
    if other.numel():
        real = [axis for axis, size in enumerate(other.shape) if size > 1]
        assert [one.stride()[axis] for axis in real] == [other.stride()[axis] for axis in real]


@settings(deadline=None)
@given(tensors())
def test_a_tensor_comes_back_from_json_with_its_values_and_its_layout(tensor):
    same(from_json(json.loads(json.dumps(_to_json(tensor)))), tensor)


def test_what_is_not_a_tensor_comes_back_too():
    value = (3, None, True, "cpu", 0.1, (torch.tensor(1.5), [torch.zeros(2, 3)[:, 1:]]))
    back = from_json(json.loads(json.dumps(_to_json(value))))
    assert back[:5] == value[:5]
    same(back[5][0], value[5][0])
    assert torch.equal(back[5][1][0], torch.zeros(2, 2))
    assert from_json({"shape": [2, 3]}) == {"shape": [2, 3]}
    numbers = torch.tensor([math.nan, math.inf, -math.inf, -0.0, 5e-324], dtype=torch.float64)
    back = from_json(json.loads(json.dumps(_to_json(numbers))))
    assert torch.equal(back.view(torch.int64), numbers.view(torch.int64))


def test_a_model_that_is_left_in_another_mode_is_told(monkeypatch):
    """As when it is graded: what was promised of the mode is tried in the notebook, too."""
    name = "a7_faster_decoding"
    monkeypatch.syspath_prepend(str(ROOT / "assignments" / name))
    monkeypatch.delitem(sys.modules, "given", raising=False)
    notebook = notebook_of(name, monkeypatch)
    right = notebook.greedy_decode_cached

    def left_in_eval(model, *args, **kwargs):
        words = right(model, *args, **kwargs)
        model.eval()
        return words

    with checks_in(ROOT / "assignments" / name) as checks:
        checks.check("cached_care")
        notebook.greedy_decode_cached = left_in_eval
        with pytest.raises(checks.CheckFailed, match="mode"):
            checks.check("cached_care")


@pytest.mark.parametrize("name", ["weight", "bias"])
def test_what_a_new_norm_starts_with_is_tried(monkeypatch, name):
    """It was asked when graded alone: all that is loaded into a module hides it elsewhere."""
    folder = ROOT / "assignments" / "a4_layers"
    monkeypatch.syspath_prepend(str(folder))
    notebook = notebook_of("a4_layers", monkeypatch)
    made = notebook.LayerNorm.__init__

    def starts_at_random(self, *args, **kwargs):
        made(self, *args, **kwargs)
        torch.nn.init.normal_(getattr(self, name))

    with checks_in(folder) as checks:
        checks.check("norm_parameters")
        monkeypatch.setattr(notebook.LayerNorm, "__init__", starts_at_random)
        with pytest.raises(checks.CheckFailed, match=f"a new {name}: 12 of 12 of the values"):
            checks.check("norm_parameters")


def test_a_kind_of_the_exception_that_is_asked_for_will_do(monkeypatch):
    """As `except ValueError` would catch it; another exception in the same words will not."""
    folder = ROOT / "assignments" / "a3_positional_encoding"
    notebook = notebook_of("a3_positional_encoding", monkeypatch)

    def refuses_with(error):
        def sinusoidal_encoding(max_len, d_model):
            raise error(f"d_model={d_model} is odd")

        return sinusoidal_encoding

    with checks_in(folder) as checks:
        notebook.sinusoidal_encoding = refuses_with(type("OddSize", (ValueError,), {}))
        checks.check("encoding_odd_size")
        notebook.sinusoidal_encoding = refuses_with(KeyError)
        with pytest.raises(checks.CheckFailed, match="expected a ValueError"):
            checks.check("encoding_odd_size")
