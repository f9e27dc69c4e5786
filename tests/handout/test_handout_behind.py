"""What is built on an earlier part that is wrong is not told to look at itself first."""

import pytest
import torch
from students_notebook import ROOT, checks_in, notebook_of

from autograder.course.manifest import read_course
from autograder.release.builder import build

NAME = "a4_layers"
FIRST = "It is built on what norm_output looks at, which is not yet right: mend that first."


@pytest.fixture(scope="module")
def checks(tmp_path_factory):
    folder = tmp_path_factory.mktemp("release") / NAME
    build(read_course(ROOT), NAME).write(folder)
    with checks_in(folder) as found:
        yield found


@pytest.fixture
def notebook(monkeypatch):
    return notebook_of(NAME, monkeypatch)


def said(checks, item):
    with pytest.raises(checks.CheckFailed) as caught:
        checks.check(item)
    return str(caught.value)


def test_a_layer_on_a_wrong_norm_is_pointed_at_the_norm(checks, notebook, monkeypatch):
    right = notebook.LayerNorm.forward
    monkeypatch.setattr(notebook.LayerNorm, "forward", lambda self, x: right(self, x) + 0.125)
    assert FIRST not in said(checks, "norm_output")
    told = said(checks, "encoder_output").splitlines()
    assert told[:2] == ["encoder_output: not yet right", f"  {FIRST}"]
    assert any("expected" in line for line in told[2:])


def test_one_that_is_wrong_by_itself_is_not(checks, notebook, monkeypatch):
    right = notebook.EncoderLayer.forward
    wrong = lambda self, *given: right(self, *given) + torch.tensor(0.125)  # noqa: E731
    monkeypatch.setattr(notebook.EncoderLayer, "forward", wrong)
    assert "mend that first" not in said(checks, "encoder_output")
