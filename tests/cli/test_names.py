"""Where a roster gives names, people read names."""

from nbgrader.api import Gradebook
from typer.testing import CliRunner

from autograder.cli import app
from autograder.export import read_settings

NAME = "squares"


def test_names_stand_on_pages_and_in_the_terminal(here):
    (here / "roster.csv").write_text("id,first_name,last_name\nada,Ada,<i>Lovelace\n")
    done = CliRunner().invoke(app, ["grade", NAME, "--jobs", "1", "--dry-run"])
    assert done.exit_code == 0, (done.output, done.exception)
    assert "Ada <i>Lovelace" in done.output
    assert CliRunner().invoke(app, ["pages", NAME]).exit_code == 0
    pages = {who: here / "feedback" / who / NAME / f"{NAME}.html" for who in ("ada", "bob")}
    assert "Ada &lt;i&gt;Lovelace (ada)" in pages["ada"].read_text()
    assert '<p class="quiet">bob</p>' in pages["bob"].read_text()


def test_nbgrader_shows_the_names_that_nobody_gave_it_before(here):
    roster = "id,name,first_name,last_name,email\nada,,Ada,Lovelace,a@x\nbob,Bob van Hope,,,\n"
    db_url = read_settings(here).db_url
    with Gradebook(db_url) as gradebook:
        gradebook.add_student("ada", first_name="Countess")
    (here / "roster.csv").write_text(f"{roster}zoe,Zoe Nobody,,,\n")
    assert CliRunner().invoke(app, ["grade", NAME, "--jobs", "1"]).exit_code == 0
    with Gradebook(db_url) as gradebook:
        names = {each.id: (each.first_name, each.last_name) for each in gradebook.students}
        assert gradebook.find_student("ada").email == "a@x"
    assert names == {
        "ada": ("Countess", "Lovelace"),
        "bob": ("Bob van", "Hope"),
        "eve": (None, None),
    }


def test_what_is_wrong_with_the_roster_is_told_before_anybody_is_graded(here):
    (here / "roster.csv").write_text("id,name\nada,Ada\nada,Bob\n")
    done = CliRunner().invoke(app, ["grade", NAME, "--jobs", "1"])
    assert done.exit_code == 2
    assert "roster.csv:3: the id 'ada' stands twice, first on line 2" in done.output
    assert not (here / "results" / NAME).exists()


def test_who_is_missing_and_who_is_a_stranger_is_told(here):
    (here / "roster.csv").write_text("id,name\nada,Ada Lovelace\nzoe,Zoe Nobody\n")
    said = CliRunner().invoke(app, ["grade", NAME, "--jobs", "1", "--dry-run"]).output
    assert "not handed in: 1 (Zoe Nobody (zoe))\nnot on the roster: 2 (bob, eve)\n" in said
    said = CliRunner().invoke(app, ["grade", NAME, "--student", "ada", "--dry-run"]).output
    assert "not handed in" not in said
    assert "not on the roster" not in said
