"""A release is built: the same bytes every time, what nbgrader needs, nothing that gives away."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from nbgrader.nbgraderformat import MetadataValidator
from nbgrader.preprocessors import CheckCellMetadata
from nbgrader.utils import compute_checksum

from autograder.checking import ChecksBroken
from autograder.course import source_path
from autograder.course.manifest import read_course
from autograder.notebooks.source import read_source
from autograder.release.builder import ReleaseError, build, notebook_of, source_notebook
from autograder.release.leaks import leaks

ROOT = Path(__file__).resolve().parents[2]
NAME = "a1_attention"
NOTEBOOK = f"{NAME}.ipynb"
SECRET = "a secret for the tests, and no other's"


@pytest.fixture(scope="module")
def course():
    return read_course(ROOT)


@pytest.fixture(scope="module")
def source():
    return read_source(ROOT / "solutions" / NAME / f"{NAME}.py")


@pytest.fixture(scope="module")
def built(course):
    return build(course, NAME, SECRET)


@pytest.fixture(scope="module")
def notebook(built):
    return nbformat.reads(built.files[NOTEBOOK].decode(), as_version=4)


@pytest.fixture
def changed(tmp_path):
    """The course in a folder of its own, its source changed as told."""
    shutil.copy(ROOT / "course.yml", tmp_path)
    shutil.copytree(ROOT / "solutions", tmp_path / "solutions")

    def change(old, new):
        path = tmp_path / "solutions" / NAME / f"{NAME}.py"
        text = path.read_text()
        assert text.count(old) == 1
        path.write_text(text.replace(old, new))
        return read_course(tmp_path)

    return change


# The same bytes


def test_two_builds_are_equal(course, built):
    assert build(course, NAME, SECRET).files == built.files


@pytest.mark.parametrize("name", [NAME, "a6_translation"])
def test_the_notebook_alone_is_the_same(course, name):
    assert notebook_of(course, name) == build(course, name).files[f"{name}.ipynb"]


def test_what_is_committed_is_fresh(built):
    assert built.differs_from(ROOT / "assignments" / NAME) == [], "run `autograder release`"


def test_it_holds_what_the_story_needs(built):
    figures = {"figures/a1_masks.svg", "figures/a1_weights.svg"}
    handout = ROOT / "autograder" / "handout" / "checks"
    checks = {f"checks/{path.name}": path.read_bytes() for path in handout.glob("*.py")}
    assert "checks/__init__.py" in checks
    others = {NOTEBOOK, "checks/cases.json", "matplotlibrc"}
    others |= {"README.md", "requirements.txt", "environment.yml"}
    assert built.files.keys() == others | checks.keys() | figures
    assert {name: built.files[name] for name in checks} == checks


# nbgrader


def graded_cells(notebook):
    return {
        cell.metadata.nbgrader.grade_id: cell
        for cell in notebook.cells
        if "nbgrader" in cell.metadata
    }


def test_the_notebook_is_valid(notebook):
    nbformat.validate(notebook)
    CheckCellMetadata().preprocess(notebook, {})
    MetadataValidator().validate_nb(notebook)
    assert notebook.metadata.autograder == {"assignment": NAME}
    assert notebook.metadata.kernelspec.name == "python3"


def test_points_are_those_of_the_manifest(course, notebook):
    points = {
        name: cell.metadata.nbgrader.points
        for name, cell in graded_cells(notebook).items()
        if cell.metadata.nbgrader.grade
    }
    assert points == {item.id: item.points for item in course.assignment(NAME).items}


def test_every_cell_of_ours_is_locked_but_the_solutions(notebook):
    for name, cell in graded_cells(notebook).items():
        told = cell.metadata.nbgrader
        assert told.solution == name.startswith("solution_")
        assert told.locked != told.solution
        assert not (told.grade and told.solution)
        assert not told.task
        assert told.schema_version == 3
    for cell in notebook.cells:
        assert cell.cell_type == "markdown" or "nbgrader" in cell.metadata


def test_ids_are_unique(notebook):
    names = [cell.metadata.nbgrader.grade_id for cell in notebook.cells if cell.metadata]
    assert len(names) == len(set(names)) > 0
    ids = [cell.id for cell in notebook.cells]
    assert len(ids) == len(set(ids))


def test_checksums_are_those_of_nbgrader(notebook):
    for name, cell in graded_cells(notebook).items():
        assert cell.metadata.nbgrader.checksum == compute_checksum(cell), name


def test_there_are_no_outputs_and_no_solutions(notebook, source):
    for cell in notebook.cells:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None
        assert "SOLUTION" not in cell.source
    stubs = [c for n, c in graded_cells(notebook).items() if n.startswith("solution_")]
    assert len(stubs) == sum(cell.role == "solution" for cell in source.cells)
    for cell in stubs:
        assert "# YOUR CODE HERE" in cell.source
        assert "raise NotImplementedError()" in cell.source


def test_a_code_cell_without_a_role_is_refused(course, source):
    stray = replace(source.cells[0], kind="code", source="print(1)")
    with pytest.raises(ReleaseError, match=r"the code cell 'print\(1\)' has no role"):
        source_notebook(replace(source, cells=(*source.cells, stray)), course.assignment(NAME))


# One home for points


def test_points_stand_in_the_manifest_and_in_what_is_made_of_it_alone(built):
    for assignment in read_course(ROOT).assignments:
        text = source_path(ROOT, assignment.id).read_text()
        text = text.replace("# - 1 point:", "")  # of a rubric for people
        assert not re.search(r"\bpoints?\b *[=:(]|\b\d+ *points?\b", text, re.I), assignment.id
    for name, data in built.files.items():  # the checks' table of items has them, too
        assert name == NOTEBOOK or name.startswith("checks/") or b"points" not in data, name
    first, *cells = json.loads(built.files[NOTEBOOK])["cells"]
    assert "; it is worth 22 points.\n" in "".join(first["source"])
    for cell in cells:  # headings have it from the manifest
        text = re.sub(r"(?m)^### .+ · \d+ points?$", "", "".join(cell["source"]))
        assert not re.search(r"\b\d+ *points?\b", text)


# Leaks


CASES, CHECKS = "checks/cases.json", "checks/recorded.py"
LINE = "return (tokens != pad_id)[:, None, None, :]"  # of a solution
CHECK = "tokens = draw_tokens(draw, BATCH, T_K, pad_id=49)"  # of a hidden check


def test_the_lines_planted_below_are_real():
    assert LINE in (ROOT / "solutions" / NAME / f"{NAME}.py").read_text()
    assert CHECK in (ROOT / "solutions" / NAME / "checks.py").read_text()


def scan(built, source, planted=None, secret=SECRET):
    files = built.files | (planted or {})
    return leaks(files, source, {*built.files}, secret)


def with_cell(built, cell):
    notebook = nbformat.reads(built.files[NOTEBOOK].decode(), as_version=4)
    notebook.cells.append(cell)
    return {NOTEBOOK: nbformat.writes(notebook).encode()}


def with_output(built, text):
    cell = nbformat.v4.new_code_cell("1", id="planted")
    cell.outputs = [nbformat.v4.new_output("stream", text=text)]
    return with_cell(built, cell)


def test_a_clean_release_passes(built, source):
    assert scan(built, source) == []
    assert scan(built, source, secret=None) == []


@pytest.mark.parametrize("line", [LINE, CHECK, SECRET])
def test_a_leak_is_found_wherever_it_is_planted(built, source, line):
    quoted = json.dumps(line)[1:-1]
    places = [
        with_cell(built, nbformat.v4.new_markdown_cell(f"Try\n\n    {line}\n", id="planted")),
        with_cell(built, nbformat.v4.new_markdown_cell(f"Try `{line}`.", id="planted")),
        with_cell(built, nbformat.v4.new_code_cell(f"  {line}", id="planted")),
        with_output(built, f"first\n    {line}\nlast"),
        {CASES: built.files[CASES].replace(b'"hint": "', b'"hint": "' + quoted.encode(), 1)},
        {CHECKS: built.files[CHECKS] + f"\n# {line}\n".encode()},
    ]
    for planted in places:
        problems = scan(built, source, planted)
        assert len(problems) == 1
        (name,) = planted
        assert problems[0].startswith(f"{name}: ")
    files = built.files | {"figures/a1_masks.svg": f"<svg><text>{line}</text></svg>".encode()}
    (problem,) = leaks(files, source, {*files}, SECRET)
    assert problem.startswith("figures/a1_masks.svg: ")


def test_the_scan_says_what_leaked_and_repeats_no_secret(built, source):
    (problem,) = scan(built, source, {CHECKS: LINE.encode()})
    assert problem == f"{CHECKS}: a line of the solution 'padding_mask': {LINE}"
    (problem,) = scan(built, source, {CHECKS: CHECK.encode()})
    assert problem == f"{CHECKS}: a line of checks.py: {CHECK}"
    (problem,) = scan(built, source, {CHECKS: f"x = '{SECRET}'".encode()})
    assert problem == f"{CHECKS}: the course's secret: (not shown)"


def test_a_secret_is_found_in_spite_of_json(built, source):
    secret = 'a "secret" with a \\ and an ü'
    assert scan(built, source, with_output(built, secret), secret)


def test_a_file_that_is_not_listed_is_found(built, source):
    assert scan(built, source, {"solution.txt": b""}) == ["solution.txt: not a listed file"]


def test_a_leak_stops_the_build(changed):
    course = changed(
        "# ## 5. Masks: who may listen", f"# `{LINE}`\n#\n# ## 5. Masks: who may listen"
    )
    with pytest.raises(
        ReleaseError, match=r"give away:\n  .*a line of the solution 'padding_mask'"
    ):
        build(course, NAME)


# The cases


@pytest.fixture(scope="module")
def cases(built):
    return json.loads(built.files[CASES])["items"]


def test_a_hidden_items_values_are_not_told(course, cases, built):
    hidden = [item.id for item in course.assignment(NAME).items if item.visibility == "hidden"]
    assert hidden == ["hand_example"]
    for item in hidden:
        assert cases[item]["shapes_only"]
        for case in cases[item]["cases"]:
            assert case.keys() == {"sentence", "hint", "fits", "kind", "name", "expected"}
            assert case["expected"].keys() == {"shape"}
    shapes = [case["expected"]["shape"] for case in cases["hand_example"]["cases"]]
    assert shapes == [[2, 3], [2, 2]]


def test_every_item_has_a_public_case_and_all_its_sentences(course, cases):
    assert [*cases] == [item.id for item in course.assignment(NAME).items]
    for item in cases.values():
        assert item["cases"]
        for case in item["cases"]:
            assert case["sentence"] in item["sentences"]
    assert sum(len(each["sentences"]) for each in cases.values()) > sum(
        len(each["cases"]) for each in cases.values()
    )


def test_a_hidden_checks_inputs_are_not_told(cases):
    sentences = {case["sentence"] for item in cases.values() for case in item["cases"]}
    assert (
        "The logits are divided by the square root of d_k, as precisely as float64 can."
        in sentences
    )
    assert "The tokens are left as they are." not in sentences
    assert all(
        case.get("kwargs", {}).get("pad_id") is None for i in cases.values() for case in i["cases"]
    )


# What may not be built


def test_a_reference_that_fails_its_own_checks_is_not_built(changed):
    # The checks hold the reference against itself: only what depends on more shows.
    course = changed(
        "    position = torch.arange(size, device=device)",
        "    import random\n\n    position = torch.tensor([random.random() for _ in range(size)])",
    )
    with pytest.raises(ChecksBroken, match=f"the reference of {NAME} fails: "):
        build(course, NAME)


def test_a_reference_that_raises_is_not_built(changed):
    course = changed(
        "    position = torch.arange(size, device=device)", "    raise KeyError('size')"
    )
    with pytest.raises(ChecksBroken, match="KeyError"):
        build(course, NAME)


@pytest.mark.parametrize("shown", ["figures/lost.svg", "figures/a-hyphen.svg", "figures/b/c.png"])
def test_a_story_that_shows_a_missing_figure_is_refused(changed, shown):
    course = changed("](figures/a1_masks.svg)", f"]({shown})")
    with pytest.raises(ReleaseError, match=f"shows {shown}, which is not there"):
        build(course, NAME)


# What is graded by hand, and files that come with the notebook


@pytest.fixture(scope="module")
def a6(course):
    return build(course, "a6_translation", SECRET)


def test_a_part_graded_by_hand_is_an_empty_cell_worth_its_points(a6, course):
    notebook = nbformat.reads(a6.files["a6_translation.ipynb"].decode(), as_version=4)
    MetadataValidator().validate_nb(notebook)
    cells = {
        each.metadata.nbgrader.get("grade_id"): each
        for each in notebook.cells
        if "nbgrader" in each.metadata
    }
    for part in course.assignment("a6_translation").manual:
        about = cells[part.id].metadata.nbgrader
        assert (about.grade, about.solution, about.locked) == (True, True, False)
        assert about.points == part.points
    assert cells["report_masks"].source == "YOUR ANSWER HERE"
    assert "### BEGIN" not in cells["attention_plot"].source
    assert "raise NotImplementedError()" in cells["attention_plot"].source


def test_an_answer_to_what_is_graded_by_hand_is_a_leak(a6, course):
    source = read_source(ROOT / "solutions" / "a6_translation" / "a6_translation.py")
    (answer,) = (cell.source for cell in source.cells if cell.name == "report_masks")
    line = answer.splitlines()[1]
    files = a6.files | {"numbers.tsv": line.encode()}
    (problem,) = leaks(files, source, {*files}, SECRET)
    assert problem == f"numbers.tsv: a line of the solution 'report_masks': {line}"


def test_listed_files_come_with_the_notebook_and_others_do_not(a6, course):
    folder = ROOT / "solutions" / "a6_translation"
    listed = course.assignment("a6_translation").files
    assert listed == ("numbers.tsv", "own.py", "tried.py", "matplotlibrc")
    assert all(a6.files[name] == (folder / name).read_bytes() for name in listed[:3])
    assert a6.files["matplotlibrc"] == (folder.parent / "matplotlibrc").read_bytes()
    others = {path.name for path in folder.iterdir() if path.is_file()} - {*listed}
    assert "weights.safetensors" in others
    assert not others & a6.files.keys()
