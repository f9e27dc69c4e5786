"""A student's evening in a real kernel: the release as it is, then answered, then graded."""

import re
import shutil
from pathlib import Path

import nbclient
import nbformat
import pytest
import torch
from nbgrader.validator import Validator

from autograder.course import read_course
from autograder.grading import grade, limits_of, prepare
from autograder.sandbox.host import Server
from autograder.sandbox.walls import NoWalls, choose
from autograder.source import read_source

ROOT = Path(__file__).resolve().parents[1]
NAME = "a1_attention"
ITEMS = read_course(ROOT).assignment(NAME).items
OURS = re.compile(r"checks\.py|_problem|cases\.json|Traceback|autograder")


def run(folder):
    """Restart the kernel, run all cells from the top, and save."""
    path = folder / f"{NAME}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(folder)}}
    nbclient.NotebookClient(
        notebook, timeout=60, kernel_name="python3", resources=resources, allow_errors=True
    ).execute()
    nbformat.write(notebook, path)
    return notebook


def validated(folder):
    """What nbgrader's Validate button tells the student."""
    validator = Validator()
    return validator.validate(str(folder / f"{NAME}.ipynb"))


@pytest.fixture(scope="module")
def stub(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stub") / NAME
    shutil.copytree(ROOT / "assignments" / NAME, folder)
    return folder, run(folder)


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    folder = tmp_path_factory.mktemp("full") / NAME
    shutil.copytree(ROOT / "assignments" / NAME, folder)
    path = folder / f"{NAME}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    source = read_source(ROOT / "solutions" / f"{NAME}.py")
    answers = {cell.grade_id: cell.source for cell in source.cells if cell.role == "solution"}
    for cell in notebook.cells:
        answer = answers.pop(grade_id(cell), None)
        cell.source = cell.source if answer is None else answer
    assert not answers
    nbformat.write(notebook, path)
    return folder, run(folder)


def grade_id(cell):
    return cell.metadata.get("nbgrader", {}).get("grade_id", "")


def check_cells(notebook):
    cells = {grade_id(cell): cell for cell in notebook.cells}
    return {item.id: cells[item.id] for item in ITEMS}


def errors(notebook):
    return {
        grade_id(cell): output
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if output.output_type == "error"
    }


def printed(cell):
    return "".join(each.text for each in cell.outputs if each.output_type == "stream")


def test_in_the_untouched_release_every_check_says_what_to_do(stub):
    failed = errors(stub[1])
    for item in ITEMS:
        error = failed[item.id]
        assert error.ename == "CheckFailed"
        said = "\n".join(error.traceback)
        assert said.startswith(f"{item.id}: not yet right\n")
        assert "is still the stub" in said or "is not defined: run the cell" in said
        assert not OURS.search(said)


def test_in_the_untouched_release_only_checks_and_stubs_raise(stub):
    failed = errors(stub[1])
    stubs = {name for name, error in failed.items() if error.ename == "NotImplementedError"}
    assert stubs == {"solution_hand_example"}  # the others are functions, and nobody calls them
    assert failed.keys() - stubs == {item.id for item in ITEMS}
    for cell in stub[1].cells:
        if grade_id(cell) in ("figure_weights", "figure_masks"):
            assert printed(cell).startswith("Nothing to draw yet")


def test_the_answered_notebook_runs_from_top_to_bottom(full):
    assert errors(full[1]) == {}


def test_every_check_of_the_answered_notebook_says_that_it_passes_and_is_quick(full):
    for item, cell in check_cells(full[1]).items():
        text = printed(cell)
        assert text.startswith(f"{item}: the "), text
        if item == "hand_example":
            assert "the shapes are right" in text
        else:
            assert re.search(r"public cases? pass", text)
            assert float(re.search(r"\((\d+\.\d\d) s\)", text)[1]) < 1.0
        assert "\n  - " in text


def test_figures_are_drawn(full):
    drawn = {
        grade_id(cell)
        for cell in full[1].cells
        for output in cell.get("outputs", ())
        if "image/png" in output.get("data", {})
    }
    assert drawn == {"figure_scale", "figure_weights", "figure_masks"}


def test_nbgraders_own_validator_agrees(stub, full):
    assert validated(full[0]) == {}
    said = validated(stub[0])
    assert len(said["failed"]) == len(ITEMS)
    assert "changed" not in said


def test_the_executed_file_gets_full_marks(full):
    try:
        wall = choose()
    except NoWalls as error:
        pytest.skip(str(error))
    exam = prepare(read_course(ROOT), NAME, "a secret for the tests alone")
    threads = torch.get_num_threads()
    with Server(wall, limits_of(exam.assignment)) as server:
        server.start()
        result = grade("s001", full[0], exam, server)
    assert torch.get_num_threads() == threads
    assert {each.verdict for each in result.items} == {"passed"}, result.items
    assert result.score == result.max_score
    assert result.notes == ()
