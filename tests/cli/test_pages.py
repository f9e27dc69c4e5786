"""Pages show what the gradebook says of people's points, and can be written again at any time."""

import json
import re
import shutil

from nbgrader.api import Gradebook
from typer.testing import CliRunner

from autograder.cli import app
from autograder.course import Result, read_course
from autograder.export import read_settings

NAME = "squares"
LATE = 'c.LateSubmissionPlugin.penalty_method = "zero"\n'


def call(*args, status=0):
    done = CliRunner().invoke(app, [*args])
    assert done.exit_code == status, (done.output, done.exception)
    return done.output


def page(here, student):
    return (here / "feedback" / student / NAME / f"{NAME}.html").read_text()


def book(here):
    return Gradebook(read_settings(here).db_url)


def give(here, student, **points):
    """Points by hand, and a comment with the report."""
    with book(here) as gradebook:
        for name, score in points.items():
            grade = gradebook.find_grade(name, NAME, NAME, student)
            grade.manual_score, grade.needs_manual_grade = score, False
        gradebook.find_comment("report", NAME, NAME, student).manual_comment = "Why <b>squares?"
        gradebook.db.commit()


def stands(here, student):
    with book(here) as gradebook:
        submission = gradebook.find_submission(NAME, student)
        total = submission.score - submission.late_submission_penalty
        return total, submission.needs_manual_grade


def test_the_totals_of_the_course_are_those_of_an_export(here):
    call("grade", NAME, "--jobs", "1")
    give(here, "ada", report=2.5)  # and bob's is still to be read
    call("pages")
    call("export", "--to", "json")
    marks = json.loads((here / "exports" / f"{NAME}.json").read_text())
    overview = (here / "results" / "index.html").read_text()
    shown = re.findall(r'<b>(\S+)</b>(?: <span class="quiet">of (\S+)</span>)?</td>', overview)
    totals = [each["total"] for each in marks["students"]]
    assert [each["score"] for each in totals] == [4.5, None, 0.0]
    assert shown == [
        ("–", "") if each["score"] is None else (f"{each['score']:g}", f"{each['points']:g}")  # noqa: RUF001
        for each in totals
    ]


def test_what_people_give_is_shown_and_survives_every_regrade(here):
    call("grade", NAME, "--jobs", "1")
    most = read_course(here).assignment(NAME).max_score
    assert f'<b>{most:g}</b><br><span class="quiet">of {most:g} points so far' in page(here, "ada")
    assert "Still to be read by people: what 3 more points are for" in page(here, "ada")
    assert ">to be read<" in page(here, "ada")
    assert ">no answer<" in page(here, "eve")
    assert stands(here, "ada") == (most, True)
    assert stands(here, "eve") == (0, False)

    item = read_course(here).assignment(NAME).items[0].id
    give(here, "ada", report=2.5)
    give(here, "bob", report=1, **{item: 0.5})
    call("pages", NAME)
    after = {each: page(here, each) for each in ("ada", "bob", "eve")}
    ada, bob = after["ada"], after["bob"]
    assert f'<b>{most + 2.5:g}</b><br><span class="quiet">of {most + 3:g} points</span>' in ada
    assert "People: 2.5 more." in ada
    assert "Why &lt;b&gt;squares?" in ada
    assert '<b>2.5</b> <span class="quiet">of 3</span>' in ada
    assert '<b>0.5</b> <span class="quiet">of 2<br>by hand</span>' in bob
    for student, text in after.items():
        assert f"<b>{stands(here, student)[0]:g}</b><br>" in text
    overview = (here / "results" / f"{NAME}.html").read_text()
    assert f"<b>{most + 2.5:g}</b></td>" in overview

    call("grade", NAME, "--jobs", "1")
    assert stands(here, "ada") == (most + 2.5, False)
    assert {each: page(here, each) for each in after} == after

    # Another hand-in has another report.
    (here / "submitted" / "ada" / NAME / "timestamp.txt").write_text("2000-01-02 12:00:00 UTC")
    call("grade", NAME, "--jobs", "1")
    assert stands(here, "ada") == (most + 2.5, True)


def test_what_late_work_costs_is_on_the_page(here):
    config = here / "nbgrader_config.py"
    config.write_text(config.read_text() + LATE)
    manifest = here / "course.yml"
    dates = "dates: {released: 2027-02-01T09:00:00+01:00, due: 2027-02-08T23:59:00+01:00}"
    text = manifest.read_text()
    manifest.write_text(text.replace("    manual:\n", f"    {dates}\n    manual:\n", 1))
    (here / "submitted" / "ada" / NAME / "timestamp.txt").write_text("2027-02-10 23:59:00 UTC")
    call("grade", NAME, "--jobs", "1")
    most = read_course(here).assignment(NAME).max_score
    assert stands(here, "ada") == (0, True)
    assert f"Handed in 2 days and 1 hour late: {most:g} less." in page(here, "ada")
    assert "<b>0</b><br>" in page(here, "ada")
    assert f"\N{MINUS SIGN}{most:g}</td>" in (here / "results" / f"{NAME}.html").read_text()


def test_a_class_of_one_is_one_student(here):
    for folder in (here / "submitted").iterdir():
        if folder.name != "ada":
            shutil.rmtree(folder)
    assert "(1 student)" in call("grade", NAME, "--jobs", "1")


def test_one_student_alone_never_narrows_the_class_page(here):
    call("grade", NAME, "--jobs", "1")
    overview = here / "results" / f"{NAME}.html"
    before, others = overview.read_text(), page(here, "bob")
    feedback = here / "feedback" / "bob" / NAME / f"{NAME}.html"
    feedback.write_text("nbgrader's own")
    notebook = here / "submitted" / "eve" / NAME / f"{NAME}.ipynb"
    notebook.write_bytes((here / "submitted" / "ada" / NAME / f"{NAME}.ipynb").read_bytes())

    assert "1 graded" in call("grade", NAME, "--jobs", "1", "--student", "eve")

    after = overview.read_text()
    assert after != before
    for student in ("ada", "bob", "eve"):
        assert f'href="../feedback/{student}/{NAME}/{NAME}.html">{student}' in after
    assert Result.read(here / "results" / NAME / "eve.json").score > 0
    assert feedback.read_text() == "nbgrader's own"
    overview.unlink()
    call("pages")
    assert (overview.read_text(), page(here, "bob")) == (after, others)
    assert "zoe did not hand in" in call("grade", NAME, "--student", "zoe", status=2)


def test_pages_of_nothing(here):
    assert "nothing was graded: there is no result in" in call("pages", status=2)
    assert f"results/{NAME}" in "".join(call("pages", NAME, status=2).split())
    (here / "results" / NAME).mkdir(parents=True)
    (here / "results" / NAME / "ada.json").write_text("{}")
    assert "ada.json is not a result file" in call("pages", status=2)
