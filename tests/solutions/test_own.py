"""a6 trains a student's own Transformer when it is near and right, and says which it trains."""

import importlib.util
import sys
import types

import nbformat
import pytest
from reference import ROOT

from autograder.course import source_path
from autograder.course.manifest import read_course
from autograder.notebooks.given import given_names, given_source
from autograder.notebooks.source import read_source
from autograder.release.builder import source_notebook

A5, A6 = "a5_transformer", "a6_translation"


def given_of(assignment):
    source = read_source(source_path(ROOT, assignment))
    return given_source(source, given_names(source))


@pytest.fixture
def given(monkeypatch):
    """What a6 is given, as its notebook has it."""
    module = types.ModuleType("given")
    exec(given_of(A6), vars(module))
    monkeypatch.setitem(sys.modules, "given", module)
    return module


@pytest.fixture
def hand_in(tmp_path, monkeypatch):
    """Puts an a5 notebook, changed as told, near a6's, and goes there."""
    assignment = read_course(ROOT).assignment(A5)
    notebook = source_notebook(read_source(source_path(ROOT, A5)), assignment)
    (tmp_path / A6).mkdir()
    monkeypatch.chdir(tmp_path / A6)

    def hand_in(old="", new="", beside=False):
        folder = tmp_path / (A6 if beside else A5)
        folder.mkdir(exist_ok=True)
        for cell in notebook.cells:
            cell.source = cell.source.replace(old, new) if old else cell.source
        nbformat.write(notebook, folder / f"{A5}.ipynb")
        if not beside:
            (folder / "given.py").write_text(given_of(A5))

    return hand_in


def chosen(given):
    spec = importlib.util.spec_from_file_location("own", ROOT / "solutions" / A6 / "own.py")
    own = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(own)
    return own.own_transformer(given.Transformer)


@pytest.mark.parametrize("beside", [False, True])
def test_a_right_one_is_trained_wherever_it_lies(given, hand_in, capsys, beside):
    hand_in(beside=beside)
    own = chosen(given)
    assert own is not given.Transformer
    assert own.__name__ == "Transformer"
    assert "You train your own Transformer" in capsys.readouterr().out
    assert sys.modules["given"] is given


def test_where_there_is_none_the_given_one_is_trained(given, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert chosen(given) is given.Transformer
    assert "no a5_transformer.ipynb near" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("& causal", "", "its logits differ"),
        ("self.output = nn.Linear", "self.last = nn.Linear", "RuntimeError"),
        ("class Transformer(", "class Transformers(", "it defines no Transformer"),
        ("return self.output(self.decode", "raise NotImplementedError() #", "it still has a stub"),
    ],
)
def test_one_that_is_not_right_is_not_trained(given, hand_in, capsys, old, new, told):
    hand_in(old, new)
    assert chosen(given) is given.Transformer
    said = capsys.readouterr().out
    assert told in said
    assert said.endswith("You train the one that is given.\n")


def test_a_damaged_notebook_is_told(given, hand_in, capsys):
    hand_in()
    with open(f"../{A5}/{A5}.ipynb", "w") as file:
        file.write("{")
    assert chosen(given) is given.Transformer
    assert "is not right yet (JSONDecodeError" in capsys.readouterr().out
