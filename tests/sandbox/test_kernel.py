"""A student's evening in a real kernel: the release as it is, then answered, then graded."""

import re
import shutil
from pathlib import Path

import nbclient
import nbformat
import pytest
import torch
from nbgrader.validator import Validator

from autograder.course.manifest import read_course
from autograder.grading import grade, limits_of, prepare
from autograder.notebooks.source import read_source
from autograder.proof.samples import answered, as_saved
from autograder.sandbox.host import Server
from autograder.sandbox.walls import NoWalls, choose

ROOT = Path(__file__).resolve().parents[2]
COURSE = read_course(ROOT)
OURS = re.compile(r"checks\.py|_problem|cases\.json|Traceback|autograder")
CELL_SECONDS = 900  # the last assignment trains a model in one cell: on a busy machine, minutes


# What a notebook cannot try: positions in the thousands take long.
NOT_TRIED = {"encoding_far"}


def items(name):
    return [item.id for item in COURSE.assignment(name).items]


def tried(name):
    return [item for item in items(name) if item not in NOT_TRIED]


def run(folder):
    """Restart the kernel, run all cells from the top, and save."""
    path = folder / f"{folder.name}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(
        notebook,
        timeout=CELL_SECONDS,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        allow_errors=True,
    ).execute()
    nbformat.write(notebook, path)
    return notebook


def validated(folder):
    """What nbgrader's Validate button tells the student."""
    validator = Validator()
    validator.timeout = CELL_SECONDS
    return validator.validate(str(folder / f"{folder.name}.ipynb"))


QUICK = ("a1_attention",)  # the last one trains its model
EACH = [
    pytest.param(each.id, marks=[] if each.id in QUICK else pytest.mark.slow)
    for each in COURSE.assignments
]


@pytest.fixture(scope="module", params=EACH)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def stub(name, tmp_path_factory):
    folder = tmp_path_factory.mktemp("stub") / name
    shutil.copytree(ROOT / "assignments" / name, folder)
    return folder, run(folder)


@pytest.fixture(scope="module")
def full(name, tmp_path_factory):
    folder = tmp_path_factory.mktemp("full") / name
    shutil.copytree(ROOT / "assignments" / name, folder)
    path = folder / f"{name}.ipynb"
    path.write_bytes(as_saved(answered(COURSE, name, path.read_bytes())))
    return folder, run(folder)


def grade_id(cell):
    return cell.metadata.get("nbgrader", {}).get("grade_id", "")


def check_cells(notebook, name):
    cells = {grade_id(cell): cell for cell in notebook.cells}
    return {item: cells[item] for item in items(name)}


def errors(notebook):
    return {
        grade_id(cell): output
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if output.output_type == "error"
    }


def shown(cell):
    """What a check shows: as text, and as HTML."""
    (output,) = cell.outputs
    return output.data["text/plain"], output.data["text/html"]


def test_in_the_untouched_release_every_check_says_what_to_do(stub, name):
    cells = check_cells(stub[1], name)
    for item in tried(name):
        said, html = shown(cells[item])
        state = "not yet right" if "beside this notebook" in said else "not written yet"
        assert said.startswith(f"{item}: {state}")
        said = " ".join(said.split())
        todo = "is still the stub", "is not defined: run the cell", "beside this notebook"
        assert any(each in said for each in todo)
        assert not OURS.search(said)
        assert html.startswith("<details ")
        assert f"is {state}: " in html


def test_in_the_untouched_release_only_stubs_raise(stub, name):
    failed = errors(stub[1])
    stubs = {each for each, error in failed.items() if error.ename == "NotImplementedError"}
    # All else to be written is functions and classes, and nobody calls them.
    called = {"a1_attention": {"solution_hand_example"}, "a6_translation": {"attention_plot"}}
    assert stubs == called.get(name, set())
    assert failed.keys() == stubs


def test_the_answered_notebook_runs_from_top_to_bottom(full):
    assert errors(full[1]) == {}


def test_every_check_of_the_answered_notebook_says_that_it_passes_and_is_quick(full, name):
    for item, cell in check_cells(full[1], name).items():
        text, html = shown(cell)
        assert html.startswith("<details ")
        text = " ".join(text.split())
        assert text.startswith(f"{item}: "), text
        if item in NOT_TRIED:
            assert "nothing can be tried here" in text
        elif item == "hand_example":
            assert "the shapes are right" in text
        elif item.startswith("translation_"):
            assert "of the 500 validation numbers" in text
        elif item == "cached_work":
            assert "multiplications for 32 tokens; up to" in text
        else:
            assert re.search(r"public cases? pass", text)
            assert float(re.search(r"\((\d+\.\d\d) s\)", text)[1]) < 5.0
        assert " - " in text


def test_figures_are_drawn(full, name):
    drawn = {
        grade_id(cell)
        for cell in full[1].cells
        for output in cell.get("outputs", ())
        if "image/png" in output.get("data", {})
    }
    cells = read_source(ROOT / "solutions" / name / f"{name}.py").cells
    assert drawn == {cell.grade_id for cell in cells if "plt.show()" in cell.source}
    assert drawn


def test_nbgraders_own_validator_agrees(stub, full, name):
    said = validated(stub[0])
    # What people grade is not answered yet either.
    assert len(said["failed"]) == len(tried(name)) + len(COURSE.assignment(name).manual)
    assert "changed" not in said
    if name != "a6_translation":  # it would train once more
        assert validated(full[0]) == {}


def test_the_executed_folder_gets_full_marks(full, name):
    try:
        wall = choose()
    except NoWalls as error:
        pytest.skip(str(error))
    exam = prepare(COURSE, name, "a secret for the tests alone")
    threads = torch.get_num_threads()
    with Server(wall, limits_of(exam.assignment)) as server:
        server.start()
        result = grade("s001", full[0], exam, server)
    assert torch.get_num_threads() == threads
    assert {each.verdict for each in result.items} == {"passed"}, result.items
    assert result.score == result.max_score
    assert result.notes == ()
