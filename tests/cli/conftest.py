"""A course of one tiny assignment, released, and what three have handed in."""

import shutil

import nbformat
import pytest

from autograder.course import read_course
from autograder.proof import read_samples
from autograder.release import build
from autograder.template import plan

TINY = "squares"
REPORT = '\n# %% [markdown] manual="report"\n# Your answer, in words.\n'
# No lines are looked for: that takes its time.
PART = "    locate: false\n    manual:\n      report: {title: The report, points: 3}\n    items:\n"


@pytest.fixture(scope="session")
def released(tmp_path_factory):
    root = tmp_path_factory.mktemp("released")
    plan(root, TINY).write()
    manifest = root / "course.yml"
    manifest.write_text(manifest.read_text().replace("    items:\n", PART, 1))
    source = root / "solutions" / TINY / f"{TINY}.py"
    source.write_text(source.read_text() + REPORT)
    course = read_course(root)
    build(course, TINY).write(root / "assignments" / TINY)
    samples = {each.kind: each for each in read_samples(course, TINY)}
    for student, kind in (("ada", "right"), ("bob", "wrong"), ("eve", "stub")):
        notebook = nbformat.reads(samples[kind].data.decode(), 4)
        if kind != "stub":
            next(each for each in notebook.cells if each.id == "report").source = "I *think*."
        folder = root / "submitted" / student / TINY
        folder.mkdir(parents=True)
        nbformat.write(notebook, folder / f"{TINY}.ipynb")
    (root / "submitted" / "ada" / TINY / "timestamp.txt").write_text("2000-01-01 12:00:00 UTC")
    return root


@pytest.fixture
def here(released, tmp_path, monkeypatch):
    """That course, as nobody has touched it: one item, and a report worth 3 points."""
    root = tmp_path / "course"
    shutil.copytree(released, root)
    monkeypatch.chdir(root)
    monkeypatch.setenv("COLUMNS", "400")
    return root
