"""Where a roster gives names, people read names."""

from typer.testing import CliRunner

from autograder.cli import app

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


def test_what_is_wrong_with_the_roster_is_told_before_anybody_is_graded(here):
    (here / "roster.csv").write_text("id,name\nada,Ada\nada,Bob\n")
    done = CliRunner().invoke(app, ["grade", NAME, "--jobs", "1"])
    assert done.exit_code == 2
    assert "roster.csv:3: the id 'ada' stands twice, first on line 2" in done.output
    assert not (here / "results" / NAME).exists()
