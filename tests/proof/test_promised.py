"""What the notebook promises stands beside what is asked; an empty side fails, and so is told."""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from autograder.checking import collect
from autograder.cli import app
from autograder.cli import verify as cli_verify
from autograder.course import read_course, source_path
from autograder.notebooks import read_source
from autograder.proof import Finding, side_by_side, unkept

ROOT = Path(__file__).resolve().parents[1] / "another_course"
NAME = "patterns"


@pytest.fixture
def copied(tmp_path):
    shutil.copytree(ROOT, tmp_path / "course")
    return tmp_path / "course"


def sides(root):
    course = read_course(root)
    assignment, source = course.assignment(NAME), read_source(source_path(root, NAME))
    rows = side_by_side(assignment, source, collect(assignment, source))
    return rows, unkept(rows, source)


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_words_and_sentences_stand_side_by_side(copied):
    rows, problems = sides(copied)
    assert problems == []
    items = read_course(copied).assignment(NAME)
    assert [each.item for each in rows] == [each.id for each in (*items.items, *items.manual)]
    (pieces,) = (each for each in rows if each.item == "pieces")
    assert pieces.told.endswith("has the shape `(t - k + 1, k)` and the right values.")
    assert pieces.public == ("Each window has its own mean taken away.",)
    assert pieces.hidden == ("Windows of width 1 and t are pieces, too.",)


def test_an_item_without_words_is_named(copied):
    source = copied / "solutions" / NAME / f"{NAME}.py"
    text = source.read_text()
    end = text.index('# %% active="ipynb" check="update_left_alone"')
    start = text.rindex("# %% [markdown]", 0, end)
    source.write_text(text[:start] + text[end:])
    assert any(
        each.startswith("update_left_alone has no words in the notebook")
        for each in sides(copied)[1]
    )


def test_a_check_without_a_sentence_is_named(copied):
    checks = copied / "solutions" / NAME / "checks.py"
    edit(checks, '    """Each window has its own mean taken away."""\n', "")
    (problem,) = sides(copied)[1]
    assert problem == "pieces has a check without a sentence: give the function a docstring"


def test_a_promise_about_a_name_that_is_not_there_is_named(copied):
    source = copied / "solutions" / NAME / f"{NAME}.py"
    edit(source, "# **The pieces.** `pieces(x, k)`", "# **The pieces.** `all_pieces(x, k)`")
    (problem,) = sides(copied)[1]
    assert (
        problem == "pieces promises something of `all_pieces`, which is no name of the notebook's"
    )


def test_the_table_has_both_sides(copied, monkeypatch):
    monkeypatch.setattr(cli_verify.out, "width", 200)
    shown = CliRunner().invoke(app, ["verify", NAME, "--promises", "--course", str(copied)])
    assert shown.exit_code == 0, shown.output
    (line,) = (each for each in shown.output.splitlines() if "The pieces (2)" in each)
    assert "Cut a pulse" in line
    assert "+ Each window has its own mean taken away." in line


def test_json_is_all_that_is_printed(copied, monkeypatch):
    found = [
        Finding("course.yml", "valid", "1"),
        Finding(NAME, "it holds", "2 of 3", "one [b]not[/b]"),
    ]
    monkeypatch.setattr(cli_verify, "try_all", lambda *_: iter(found))
    monkeypatch.setattr(cli_verify, "wall_for", lambda *_: "none")
    told = CliRunner().invoke(app, ["verify", NAME, "--json", "--course", str(copied)])
    assert told.exit_code == 1
    about = json.loads(told.stdout)
    assert about["kept"] is False
    assert about["findings"][1] == {
        "assignment": NAME,
        "promise": "it holds",
        "figure": "2 of 3",
        "problem": "one [b]not[/b]",
    }
    assert about["items"][NAME][0].keys() == {"item", "title", "points", "told", "public", "hidden"}


def test_what_is_promised_is_told_as_json_alone(copied):
    told = CliRunner().invoke(
        app, ["verify", NAME, "--promises", "--json", "--course", str(copied)]
    )
    assert told.exit_code == 0
    (finding,) = json.loads(told.stdout)["findings"]
    assert (finding["assignment"], finding["problem"]) == (NAME, None)
