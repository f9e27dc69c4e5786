"""A slip in a source's marks is one sentence that names file and line, and no traceback."""

import re
import shutil

import pytest
from typer.testing import CliRunner

from autograder.cli import app
from autograder.notebooks.source import read_source
from autograder.template import plan

NAME = "squares"
BEGIN, END = "    ### BEGIN SOLUTION\n", "    ### END SOLUTION\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    root = tmp_path_factory.mktemp("course")
    plan(root, NAME).write()
    return root


@pytest.fixture
def slipped(made, tmp_path):
    """A course of one assignment, and a way to put a slip into its source; gives its line."""
    root = tmp_path / "course"
    shutil.copytree(made, root)
    path = root / "solutions" / NAME / f"{NAME}.py"

    def change(old, new, at):
        text = path.read_text()
        assert old in text
        changed = text.replace(old, new, 1)
        path.write_text(changed)
        return path, changed[: changed.index(at)].count("\n") + 1

    return change


SLIPS = {
    "END forgotten": (END, "", BEGIN, "### BEGIN SOLUTION without an ### END SOLUTION in its cell"),
    "BEGIN forgotten": (BEGIN, "", END, "### END SOLUTION without a ### BEGIN SOLUTION before it"),
    "BEGIN doubled": (BEGIN, "    # one\n" + BEGIN * 2, BEGIN * 2, "before the ### END SOLUTION"),
    "END doubled": (END, END * 2, END * 2, "### END SOLUTION without a ### BEGIN SOLUTION"),
    "END in other words": (
        END,
        "    ### End solution\n",
        "    ### End",
        "must be '### END SOLUTION'",
    ),
    "BEGIN misspelt": (
        BEGIN,
        "    ### BEGIN SOLUTON\n",
        "    ### BEGIN",
        "be '### BEGIN SOLUTION'",
    ),
    "END misspelt": (END, "    ### END SOLUTIONS\n", "    ### END", "must be '### END SOLUTION'"),
    "END with more": (END, "    ### END SOLUTION 1\n", "    ### END", "and nothing else"),
    "a role misspelt": (' check="d', ' chek="d', '# %% active="ipynb" chek', "mean check=?"),
    "another misspelt": ('%% solution="', '%% soluton="', "# %% soluton", "mean solution=?"),
    "no solution": ('%% solution="', '%% given="', BEGIN, 'mark the cell solution="NAME"'),
}


@pytest.mark.parametrize("slip", SLIPS.values(), ids=SLIPS)
def test_a_slip_in_the_markers_names_its_line(slipped, slip):
    old, new, at, said = slip
    path, line = slipped(old, new, at)
    line += at.count("\n") == 2  # the second of two is the one too many
    with pytest.raises(ValueError, match=rf":{line}: .*{re.escape(said)}") as told:
        read_source(path)
    assert str(told.value).startswith(f"{path}:")


def test_a_solution_without_markers_would_be_handed_out_empty(slipped):
    slipped(BEGIN, "", "")
    path, line = slipped(END, "", '# %% solution="')
    with pytest.raises(ValueError, match=rf":{line}: .* would be handed out empty"):
        read_source(path)


def test_a_check_over_a_cell_that_calls_another_is_named(slipped):
    path, line = slipped('# check("', '# check("other_', '# check("other_')
    said = f':{line - 1}: the cell is marked check="'
    with pytest.raises(ValueError, match=rf'{said}.*and calls check\("other_'):
        read_source(path)


@pytest.mark.parametrize("cell", ["# pass", "# print(1)", "# check()", "# check(check)"])
def test_a_check_cell_that_calls_no_check_is_named(slipped, cell):
    path, line = slipped('# check("', f'{cell}\n# print("', cell)
    with pytest.raises(ValueError, match=rf":{line - 1}: .* and calls no check: let both name one"):
        read_source(path)


def test_two_cells_of_one_name_are_told_with_both_lines(slipped):
    path, _ = slipped('# check("', '# check("', "#")
    text = path.read_text()
    start = text.index('# %% active="ipynb" check="')
    cell = text[start : text.index("\n\n", start)]
    path.write_text(f"{text}\n{cell}\n")
    first = text[:start].count("\n") + 1
    with pytest.raises(ValueError, match=f"; the first is in line {first}: give one of them"):
        read_source(path)


@pytest.mark.parametrize("verb", ["release", "verify", "samples"])
def test_the_command_ends_with_a_sentence(slipped, verb):
    path, line = slipped(END, "", BEGIN)
    root = path.parents[2]
    called = [verb, NAME, "--course", str(root)]
    result = CliRunner().invoke(app, called)
    assert result.exit_code == 2
    assert f"{path.name}:{line}: ### BEGIN SOLUTION without" in result.output.replace("\n", "")
    assert "Traceback" not in result.output


def test_a_source_that_is_no_python_is_a_sentence(slipped):
    path, _ = slipped(BEGIN, BEGIN + "    return (\n", "    return (\n")
    result = CliRunner().invoke(app, ["release", NAME, "--course", str(path.parents[2])])
    assert result.exit_code == 2, result.exception
    assert "Traceback" not in result.output
    assert "in the cell distances, line 8: return (" in result.output
