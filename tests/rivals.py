"""What the grader is measured against: stock nbgrader and Otter, with the same checks."""

import copy
import json
import subprocess
import sys
import venv
from collections.abc import Callable, Sequence
from pathlib import Path

import nbformat
import torch

from autograder.course.manifest import read_course
from autograder.grading import prepare

ROOT = Path(__file__).resolve().parents[1]
_OTTER = "otter-grader==7.0.0"
_TEST = """from otter.test_files import test_case

OK_FORMAT = False
name = {item!r}
points = {points!r}


@test_case()
def test_it(env):
    env["check_item"]({item!r})
"""
Command = Callable[[int], list[list[str]]]  # those that grade so many submissions


def full_notebook(course_root: Path, name: str, secret: str) -> nbformat.NotebookNode:
    """The released notebook with the reference's solutions filled in."""
    notebook = nbformat.read(course_root / "assignments" / name / f"{name}.ipynb", as_version=4)
    exam = prepare(read_course(ROOT), name, secret)
    answers = {f"solution_{cell.name}": cell.source for cell in exam.source.reference}
    for cell in notebook.cells:
        grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
        cell.source = answers.get(grade_id, cell.source)
    return notebook


def by(student: str, notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The same, in each answer of which is who wrote it: no two submissions are alike."""
    own = copy.deepcopy(notebook)
    for cell in own.cells:
        if cell.metadata.get("nbgrader", {}).get("solution") and cell.cell_type == "code":
            cell.source += f"\n# {student}"
    return own


def hand_in(
    root: Path, name: str, notebooks: Sequence[nbformat.NotebookNode], count: int
) -> list[Path]:
    """A class in nbgrader's layout, which hands in these in turn; returns the files."""
    files = []
    for number in range(count):
        student = f"s{number:04}"
        files.append(root / "submitted" / student / name / f"{name}.ipynb")
        files[-1].parent.mkdir(parents=True)
        nbformat.write(by(student, notebooks[number % len(notebooks)]), files[-1])
    return files


def _with_checks(
    root: Path, name: str, secret: str, said: Callable[[str], str]
) -> tuple[nbformat.NotebookNode, dict[str, float]]:
    """The notebook with the checks in it, and what each item is worth; said: its grade cells."""
    exam = prepare(read_course(ROOT), name, secret)
    known = root / "reference.json"
    known.write_text(
        json.dumps(
            {
                "cells": [[cell.name, cell.source] for cell in exam.source.reference],
                "tolerances": {item.id: item.tolerance for item in exam.assignment.items},
                "parameters": exam.source.parameters,
            }
        )
    )
    notebook = full_notebook(ROOT, name, secret)
    for cell in notebook.cells:
        nbgrader = cell.metadata.get("nbgrader", {})
        if nbgrader.get("grade") and cell.cell_type == "code":
            cell.source = said(nbgrader["grade_id"])
        elif nbgrader.get("grade_id") == "given_checks":
            cell.source = (
                f"import json, sys\nsys.path.insert(0, {str(ROOT / 'tests')!r})\nimport bare\n"
                "from autograder.asking.student import Cell, LocalStudent\n"
                f"known = json.load(open({str(known)!r}))\n"
                "cells = [Cell(*each) for each in known['cells']]\n"
                "reference = LocalStudent(cells, {})\n"
                "def check_item(item):\n"
                f"    assert bare.run({name!r}, bare.Names(globals()), reference,\n"
                f"        known['tolerances'], known['parameters'], {secret!r}, item)"
            )
        nbgrader.pop("checksum", None)
    return notebook, {item.id: item.points for item in exam.assignment.items}


def stock(root: Path, name: str, secret: str, count: int) -> Command:
    """A stock nbgrader course with the same checks in its grade cells."""
    source = root / "source" / name
    source.mkdir(parents=True)
    notebook, _ = _with_checks(root, name, secret, lambda item: f"check_item({item!r})")
    nbformat.write(notebook, source / f"{name}.ipynb")
    (root / "nbgrader_config.py").write_text("c = get_config()\n")
    program = str(Path(sys.executable).with_name("nbgrader"))
    generate = [program, "generate_assignment", name, "--force"]
    subprocess.run(generate, cwd=root, check=True, capture_output=True)
    hand_in(root, name, [notebook], count)
    return lambda few: [[program, "autograde", name, "--force", f"--student=s000[0-{few - 1}]"]]


def scores(root: Path, name: str) -> set[tuple[float, float]]:
    """What stock nbgrader gave, and of how much: a check that did not run gave nothing."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as gradebook:
        found = gradebook.assignment_submissions(name)
        return {(each.score, each.max_score) for each in found}


def otter(root: Path, name: str, secret: str, count: int) -> Command:
    """Submissions for `otter run`, in an environment of its own, which is installed first."""
    home = root / "otter"
    venv.create(home, with_pip=True)
    python = str(home / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", _OTTER], check=True)
    # torch is ours, which would take minutes to install.
    places = {*map(Path, sys.path), Path(torch.__file__).parents[1], ROOT}
    ours = [str(each) for each in places if each.name == "site-packages" or each == ROOT]
    found = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True,
        text=True,
        check=True,
    )
    (Path(found.stdout.strip()) / "ours.pth").write_text("\n".join(ours))
    tests = root / "tests"
    tests.mkdir()
    notebook, points = _with_checks(root, name, secret, lambda _: "pass")
    for item, worth in points.items():
        (tests / f"{item}.py").write_text(_TEST.format(item=item, points=worth))
    program = str(home / "bin" / "otter")
    zipped = root / "autograder.zip"
    generate = [program, "generate", "-t", str(tests), "-o", str(zipped), "--no-environment"]
    subprocess.run(generate, cwd=root, check=True, capture_output=True)
    files = hand_in(root, name, [notebook], count)
    run = [program, "run", "-a", str(zipped), "--no-logo"]
    return lambda few: [[*run, "-o", str(file.parent), str(file)] for file in files[:few]]


def otter_scores(root: Path) -> set[tuple[float, float]]:
    """What Otter gave, and of how much."""
    told = [json.loads(each.read_text())["tests"] for each in root.rglob("results.json")]
    return {
        (sum(each["score"] for each in tests), sum(each["max_score"] for each in tests))
        for tests in ([each for each in one if each.get("max_score")] for one in told)
    }
