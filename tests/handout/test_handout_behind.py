"""What is built on an earlier part that is wrong is not told to look at itself first."""

import importlib
import sys
import types
from pathlib import Path

import pytest
import torch

from autograder.course.manifest import read_course
from autograder.notebooks.source import read_source
from autograder.release.builder import build

ROOT = Path(__file__).resolve().parents[2]
NAME = "a4_layers"
FIRST = "It is built on what norm_output looks at, which is not yet right: mend that first."


def forget_checks():
    for name in [name for name in sys.modules if name.partition(".")[0] == "checks"]:
        del sys.modules[name]


@pytest.fixture(scope="module")
def checks(tmp_path_factory):
    folder = tmp_path_factory.mktemp("release") / NAME
    build(read_course(ROOT), NAME).write(folder)
    forget_checks()
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        for each in ("given", "counted"):
            patch.delitem(sys.modules, each, raising=False)
        yield importlib.import_module("checks")
    forget_checks()


@pytest.fixture
def notebook(monkeypatch, checks):
    main = types.ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", main)
    for cell in read_source(ROOT / "solutions" / NAME / f"{NAME}.py").reference:
        exec(cell.source, main.__dict__)
    return main


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
