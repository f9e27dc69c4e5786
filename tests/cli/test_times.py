"""A time of hand-in that nobody can read is its student's alone; feedback is released to all."""

import shutil

from nbgrader.api import Gradebook
from nbgrader_course import run
from typer.testing import CliRunner

from autograder.cli import app
from autograder.export import read_settings

NAME = "squares"
DATES = "    dates: {released: 1999-01-01T09:00:00Z, due: 1999-12-31T12:00:00Z}\n    manual:\n"


def grade(status=0):
    done = CliRunner().invoke(app, ["grade", NAME, "--jobs", "1"])
    assert done.exit_code == status, (done.output, done.exception)
    return " ".join(done.stderr.split())


def times(here):
    with Gradebook(read_settings(here).db_url) as book:
        found = book.assignment_submissions(NAME)
        return {each.student.id: (each.timestamp, each.score) for each in found}


def with_dates(here):
    manifest = here / "course.yml"
    manifest.write_text(manifest.read_text().replace("    manual:\n", DATES, 1))
    config = here / "nbgrader_config.py"
    config.write_text(config.read_text() + 'c.LateSubmissionPlugin.penalty_method = "zero"\n')


def test_a_time_that_is_none_is_its_students_alone(here):
    with_dates(here)
    grade()
    handed_in, score = times(here)["ada"]
    assert handed_in is not None
    theirs = here.with_name("theirs")
    shutil.copytree(here, theirs)
    written = "submitted/ada/squares/timestamp.txt"
    for course in (here, theirs):
        (course / written).write_text("the day before \x1b[31myesterday")
        (course / "submitted" / "eve" / NAME / "timestamp.txt").mkdir()

    said = grade(status=1)

    assert "time unknown: ada:" in said
    assert "timestamp.txt is no date and time, such as 2027-02-08 22:59:00 UTC" in said
    assert "yesterday" in said
    assert "\x1b" not in said
    assert "time unknown: eve:" in said
    assert "until then the work counts as on time" in said
    # The time of an earlier hand-in would say that this one is late, or is not.
    assert times(here)["ada"] == (None, score)
    assert set(times(here)) == {"ada", "bob", "eve"}
    said = run(theirs, "nbgrader", "autograde", NAME, "--force").stderr
    assert "ada: " in said
    assert "timestamp.txt is no date and time" in said
    assert times(theirs) == times(here)
    for course in (here, theirs):
        run(course, "nbgrader", "generate_feedback", NAME, "--force")

    (here / written).write_text("2000-01-01 12:00:00 UTC")
    shutil.rmtree(here / "submitted" / "eve" / NAME / "timestamp.txt")
    grade()
    assert times(here)["ada"] == (handed_in, score)


def test_feedback_is_released_to_everybody(here):
    notebook = here / "submitted" / "bob" / NAME / f"{NAME}.ipynb"
    notebook.with_suffix(".zip").write_bytes(notebook.read_bytes())
    notebook.unlink()  # so this one waits for staff
    (here / "submitted" / "ada" / NAME / "submission_secret.txt").write_text("a" * 64)
    grade(status=1)
    release = ("nbgrader", "release_feedback", NAME, f"--Exchange.root={here.parent / 'exchange'}")
    (here.parent / "exchange").mkdir(mode=0o777)
    (here.parent / "exchange").chmod(0o777)

    said = run(here, *release).stderr

    assert all(f"Releasing feedback for student '{who}'" in said for who in ("ada", "bob", "eve"))
    folder = here.parent / "exchange" / read_settings(here).directory.course_id / "feedback"
    released = {path.name for path in folder.iterdir()}
    assert len(released) == 3
    assert CliRunner().invoke(app, ["pages", NAME]).exit_code == 0
    run(here, *release)
    assert {path.name for path in folder.iterdir()} == released  # under the names they had
