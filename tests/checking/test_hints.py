"""A hint is about one kind of mistake; who made another one is not led astray by it."""

import shutil
from pathlib import Path

import pytest

from autograder.checking import ChecksBroken, collect
from autograder.checking.collect import CHECKS
from autograder.course import read_course, source_path
from autograder.handout.checks.problem import kind_of_error
from autograder.notebooks import read_source

ATTENTION = """def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = scores.softmax(-1).nan_to_num(0.0)
    {}
"""
AXIS = "Over which axis must the weights sum to 1?"


@pytest.mark.parametrize(
    ("change", "words", "hint"),
    [
        ("return weights @ v, weights / 2", "of the values differ", AXIS),
        ("return weights @ v, weights.float()", "expected dtype float64", None),
        ("return weights @ v, weights[..., :1]", "expected shape (", None),
        ("return weights @ v", "expected the 2 values (output, weights), got one tensor", None),
        ("weights @ v, weights", "got None: is there a return?", None),
        ("return weights @ v, waights", "raised NameError: ", None),
    ],
)
def test_a_hint_about_values_is_told_when_values_are_wrong(items_with, change, words, hint):
    item = items_with("a1_attention", attention=ATTENTION.format(change))["attention_weights"]
    assert words in item.message
    assert item.hint == hint


def test_a_hint_about_gradients_is_not_told_of_values(items_with):
    wrong = ATTENTION.format("return weights @ v / 2, weights")
    assert items_with("a1_attention", attention=wrong)["attention_gradients"].hint is None
    detached = ATTENTION.format("return weights.detach() @ v, weights")
    item = items_with("a1_attention", attention=detached)["attention_gradients"]
    assert item.hint == "Is a step done outside of autograd?"


def test_a_hint_about_nan_is_told_of_nan_alone(graded):
    (item,) = [e for e in graded("a1_attention", "nan_when_all_is_blocked").items if e.hint]
    assert item.item == "attention_blocked_rows"
    assert item.hint == "What is softmax of a row that is -inf all over?"
    items = graded("a1_attention", "uniform_when_all_is_blocked").items
    hints = {each.item: each.hint for each in items if each.message}
    assert hints == {"attention_blocked_rows": None, "attention_tensors": None}


def test_a_hint_about_views_is_told_of_them_alone(graded, items_with):
    items = {each.item: each for each in graded("a1_attention", "view_on_transposed").items}
    assert items["attention_tensors"].hint == "view needs contiguous memory; reshape does not."
    wrong = ATTENTION.format("raise RuntimeError('no')")
    assert items_with("a1_attention", attention=wrong)["attention_tensors"].hint is None


def test_what_a_check_says_itself_has_its_hint(graded):
    items = {each.item: each for each in graded("a2_multi_head", "sizes_not_named").items}
    assert items["heads_bad_sizes"].hint == "What does d_model % n_heads leave? Raise ValueError."


def test_who_calls_a_method_that_is_a_stub_is_told_of_the_method(graded):
    items = {each.item: each for each in graded("a2_multi_head", "split_still_the_stub").items}
    said = items["heads_split"].message
    assert said.endswith("MultiHeadAttention.split_heads is still the stub (NotImplementedError).")


def test_a_cell_that_fails_is_not_told_as_a_call(graded):
    (first, *_) = [e for e in graded("a1_attention", "syntax_error").items if e.message]
    assert "\nthe cell attention raised SyntaxError: " in first.message


def test_what_is_on_another_device_is_called_by_its_name(items_with):
    made_anew = "return (tokens != pad_id)[:, None, None, :]"
    here = "return torch.tensor((tokens != pad_id).tolist())[:, None, None, :]"
    wrong = f"def padding_mask(tokens, pad_id=0):\n    {here}\n"
    item = items_with("a1_attention", padding_mask=wrong)["padding_mask"]
    assert "the result is on torch's default device, which is not the one that" in item.message
    assert item.hint in (None, "On which device is a new tensor made?")
    right = wrong.replace(here, made_anew)
    assert items_with("a1_attention", padding_mask=right)["padding_mask"].verdict == "passed"


@pytest.mark.parametrize(
    ("name", "message", "kind"),
    [
        ("RuntimeError", "Expected all tensors to be on the same device, but found two", "device"),
        ("RuntimeError", "expected m1 and m2 to have the same dtype, but got: float", "dtype"),
        ("RuntimeError", "view size is not compatible with input tensor's size", "layout"),
        ("RuntimeError", "The size of tensor a (5) must match the size of tensor b", "shape"),
        ("IndexError", "Dimension out of range", "shape"),
        ("ValueError", "the size is odd", "error"),
        ("NameError", "name 'dtype' is not defined", "error"),
    ],
)
def test_torchs_own_exceptions_are_told_apart(name, message, kind):
    assert kind_of_error(name, message.lower() if kind == "shape" else message) == kind


def test_a_kind_that_is_none_is_refused(tmp_path):
    root = tmp_path / "course"
    shutil.copytree(Path(__file__).parents[1] / "another_course", root)
    checks = root / "solutions" / "patterns" / CHECKS
    hint = 'hint="What is left of a piece of one number?"'
    checks.write_text(checks.read_text().replace(hint, f'{hint}, fits="value"'))
    source = read_source(source_path(root, "patterns"))
    with pytest.raises(ChecksBroken, match=r": a hint fits one of values, infinite, .*'value'"):
        collect(read_course(root).assignment("patterns"), source)
