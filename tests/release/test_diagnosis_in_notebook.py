"""The notebook's own checks name a mistake when the course wants it, and say nothing otherwise."""

import json
import math

import pytest
import torch
from students_notebook import ROOT, checks_in, notebook_of

from autograder.course.manifest import read_course
from autograder.release.builder import build

NAME = "a1_attention"


def course_that_names(it):
    course = read_course(ROOT)
    changed = [
        each.model_copy(update={"diagnose_in_notebook": it}) if each.id == NAME else each
        for each in course.assignments
    ]
    return course.model_copy(update={"assignments": tuple(changed)})


@pytest.fixture(scope="module", params=[True, False], ids=["named", "not_named"])
def released(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("release") / NAME
    built = build(course_that_names(request.param), NAME)
    built.write(folder)
    with checks_in(folder) as checks:
        yield request.param, checks, built


@pytest.fixture
def notebook(monkeypatch):
    return notebook_of(NAME, monkeypatch)


def attention(scale, power=1.0):
    def attention(q, k, v, mask=None):
        scores = q @ k.transpose(-2, -1) / scale(q.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = scores.softmax(-1) ** power
        weights = weights / weights.sum(-1, keepdim=True)
        weights = weights if mask is None else weights * mask
        return weights @ v, weights

    return attention


def said(checks, item):
    with pytest.raises(checks.CheckFailed) as caught:
        checks.check(item)
    return str(caught.value)


def test_a_mistake_is_named_where_the_course_wants_it(released, notebook):
    named, checks, _ = released
    notebook.scaled_dot_product_attention = attention(lambda d_k: d_k)
    mistake = "The scores are divided by d_k instead of its square root, or by the root twice."
    first = said(checks, "attention_output").split("\n  ")
    assert (first[1] == f"Your code does what this mistake does: {mistake}") is named
    for item in ("attention_scale", "attention_mask", "attention_gradients"):
        same = f"{item}: not yet right, the same as in attention_output: {mistake}"
        assert (said(checks, item) == same) is named
    notebook.causal_mask = lambda size, device=None: torch.ones(size, size).tril(-1).bool()
    assert ("The diagonal is False" in said(checks, "causal_mask")) is named


def test_what_nobody_knows_is_not_named(released, notebook):
    _, checks, _ = released
    notebook.scaled_dot_product_attention = attention(math.sqrt, power=1.1)
    assert "mistake" not in said(checks, "attention_output")


def test_right_code_passes(released, notebook, capsys):
    _, checks, _ = released
    notebook.scaled_dot_product_attention = attention(math.sqrt)
    for item in ("attention_output", "attention_mask", "attention_gradients", "causal_mask"):
        checks.check(item)
    assert "mistake" not in capsys.readouterr().out


def test_sentences_are_handed_out_only_then(released):
    named, _, built = released
    items = json.loads(built.files["checks/cases.json"])["items"]
    assert any("mistakes" in each for each in items.values()) is named
    assert "mistakes" not in items["hand_example"]  # its values are the answer
