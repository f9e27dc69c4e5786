"""A notebook's first cell: it says what is missing, in words, wherever the notebook was opened."""

import importlib.util
import os
import sys
import types
import zipfile
from pathlib import Path

import nbformat
import pytest

from autograder.course import read_course, source_path
from autograder.notebooks import read_source
from autograder.notebooks.submission import read_submission
from autograder.release.ready import ready_cell

ROOT = Path(__file__).resolve().parents[2]
NAME = "a6_translation"
BESIDE = ("given.py", "matplotlibrc", "numbers.tsv", "own.py", "tried.py")


@pytest.fixture
def alone(tmp_path, monkeypatch):
    """An empty folder, and the Python that a notebook in it has."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


def first_code(name=NAME):
    path = ROOT / "assignments" / name / f"{name}.ipynb"
    cells = nbformat.read(path, as_version=4).cells
    return next(each for each in cells if each.cell_type == "code")


def fill(folder):
    for each in BESIDE:
        (folder / each).touch()
    (folder / "checks").mkdir()


def test_alone_it_says_what_is_missing_and_where_to_get_it(alone):
    with pytest.raises(Exception, match="cannot work alone") as raised:
        exec(first_code().source, {"__name__": "__main__"})
    said = str(raised.value)
    assert f"Missing beside it: checks, {', '.join(BESIDE)}.\n" in said
    assert "Get a6_translation.zip from where you got this notebook, unpack it," in said
    assert str(alone) in said
    assert "Not installed" not in said
    assert raised.value._render_traceback_() == [said]  # Jupyter shows this, and no frames


def test_a_package_that_is_missing_is_named(alone, monkeypatch):
    fill(alone)
    real = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name: None if name == "torch" else real(name)
    )
    with pytest.raises(Exception, match="Not installed in this Python: torch") as raised:
        exec(first_code().source, {"__name__": "__main__"})
    assert "pip install -r requirements.txt" in str(raised.value)
    assert "alone" not in str(raised.value)


def test_where_all_is_there_it_says_so(alone, capsys):
    fill(alone)
    exec(first_code().source, {"__name__": "__main__"})
    assert capsys.readouterr().out == "All that this notebook needs is here.\n"


def test_vs_code_runs_it_elsewhere(alone, capsys, monkeypatch):
    folder = alone / "unpacked"
    folder.mkdir()
    fill(folder)
    exec(first_code().source, {"__vsc_ipynb_file__": str(folder / f"{NAME}.ipynb")})
    assert "All that" in capsys.readouterr().out
    assert Path.cwd() == folder
    assert sys.path[0] == str(folder)


def test_colab_takes_the_zip(alone, capsys, monkeypatch):
    def upload():
        with zipfile.ZipFile("mine (1).zip", "w") as archive:
            for each in ("checks/__init__.py", *BESIDE):
                archive.writestr(f"{NAME}/{each}", "")
        return {"mine (1).zip": b""}

    colab = types.ModuleType("google.colab")
    colab.files = types.SimpleNamespace(upload=upload)
    monkeypatch.setitem(sys.modules, "google", types.ModuleType("google"))
    monkeypatch.setitem(sys.modules, "google.colab", colab)
    exec(first_code().source, {"__name__": "__main__"})
    said = capsys.readouterr().out
    assert said.startswith("Choose a6_translation.zip. You get it from where you got this notebook")
    assert said.endswith("All that this notebook needs is here.\n")
    assert Path.cwd() == alone / NAME
    exec(first_code().source, {"__name__": "__main__"})  # again: it asks for nothing
    assert "Choose" not in capsys.readouterr().out
    os.chdir(alone)
    exec(first_code().source, {"__name__": "__main__"})
    assert "Choose" not in capsys.readouterr().out


def test_grading_leaves_it_out(tmp_path):
    source = read_source(source_path(ROOT, NAME))
    path = tmp_path / f"{NAME}.ipynb"
    release = ROOT / "assignments" / NAME / path.name
    path.write_bytes(release.read_bytes())
    cells = read_submission(path, source).cells
    assert cells
    assert not any("_ready" in each.source for each in cells)


def test_what_the_instructor_writes_stays_text(alone):
    course = read_course(ROOT)
    source = read_source(source_path(ROOT, "a1_attention"))
    odd = 'the "wiki" \\ {page}'
    cell = ready_cell(source, [], course.handout.packages, odd)
    with pytest.raises(Exception, match=r'from the "wiki" \\ \{page\}'):
        exec(cell.source, {})
