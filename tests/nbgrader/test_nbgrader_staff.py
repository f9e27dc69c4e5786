"""nbgrader's own road: what staff do with it, and what they are told when something is wrong."""

import json

import nbformat
import pytest
from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from nbgrader_course import (
    EVERYTHING,
    NAME,
    SECRET,
    gradebook,
    new_course,
    run,
    scores,
    write,
)
from traitlets.config.loader import PyFileConfigLoader

from autograder.grading import origin
from autograder.grading.submission import failed_result
from autograder.nbgrader import converters


def total(course, student):
    with gradebook(course) as book:
        return book.find_submission(NAME, student).score


@pytest.mark.slow
def test_cells_graded_by_hand_and_manual_scores_survive_a_regrade(tmp_path):
    course = new_course(tmp_path / "course")
    manifest, source = course / "course.yml", course / "solutions" / NAME / f"{NAME}.py"
    part = "    manual:\n      report:\n        title: The report\n        points: 4\n    items:\n"
    manifest.write_text(manifest.read_text().replace("    items:\n", part, 1))
    report = (
        '\n# %% [markdown]\n# Report.\n\n# %% [markdown] manual="report"\n# Attention is a mean.\n'
    )
    source.write_text(source.read_text() + report)
    run(course, "autograder", "release", NAME)
    release = course / "assignments" / NAME / f"{NAME}.ipynb"
    notebook = nbformat.read(release, as_version=4)
    write(course, "silent", notebook)
    next(cell for cell in notebook.cells if cell.get("id") == "report").source = "It is a *choice*."
    write(course, "eloquent", notebook)

    run(course, "nbgrader", "autograde", NAME)

    with gradebook(course) as book:
        grade = book.find_grade("report", NAME, NAME, "eloquent")
        assert (grade.auto_score, grade.needs_manual_grade, grade.max_score) == (None, True, 4)
        grade.manual_score, grade.needs_manual_grade = 3.5, False
        scale = book.find_grade("attention_scale", NAME, NAME, "eloquent")
        scale.manual_score, scale.extra_credit = 1.25, 0.5
        assert book.find_comment("report", NAME, NAME, "silent").auto_comment == "No response."
        book.db.commit()
    run(course, "nbgrader", "autograde", NAME, "--force")
    assert total(course, "eloquent") == 3.5 + 1.25 + 0.5
    assert total(course, "silent") == 0
    run(course, "nbgrader", "generate_feedback", NAME)
    page = (course / "feedback" / "eloquent" / NAME / f"{NAME}.html").read_text()
    assert "It is a <em>choice</em>." in page
    assert "Score: 3.5 / 4.0" in page
    run(course, "autograder", "grade", NAME)
    assert total(course, "eloquent") == 3.5 + 1.25 + 0.5


@pytest.fixture
def button(tmp_path, monkeypatch):
    """The formgrader's button, in this process, in a course where two have handed in."""
    course = new_course(tmp_path / "course")
    monkeypatch.setenv("AUTOGRADER_SECRET", SECRET)
    monkeypatch.chdir(course)
    config = PyFileConfigLoader("nbgrader_config.py", path=str(course)).load_config()
    config.CourseDirectory.root = str(course)
    yield course, NbGraderAPI(CourseDirectory(config=config), config=config)
    converters._desks.close()


# nbgrader looks things up while a submission is half built, and SQLAlchemy warns of it.
nbgraders_warnings = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")


@nbgraders_warnings
def test_a_fault_of_ours_is_no_score(button, right, monkeypatch):
    course, api = button
    for student in ("ada", "eve"):
        write(course, student, right())

    def grade(student, path, exam, server):
        return failed_result(student, exam, server.wall, "the checks are broken")

    assert api.autograde(NAME, "ada")["success"]
    (course / "submitted" / "ada" / NAME / "more.csv").write_text("1")  # or it would be kept
    with monkeypatch.context() as broken:
        broken.setattr(origin, "grade", grade)
        answers = [api.autograde(NAME, student) for student in ("ada", "eve")]

    assert [each["success"] for each in answers] == [False, False]
    assert "a1_attention of eve has no score: the checks are broken" in answers[1]["log"]
    assert not (course / "autograded" / "eve" / NAME).exists()  # so it waits to be graded
    assert json.loads((course / "results" / NAME / "eve.json").read_text())["score"] is None
    assert scores(course)["ada"] != scores(course)["eve"]
    assert total(course, "ada") == EVERYTHING  # the earlier one stays
    assert set(scores(course)["eve"].values()) == {None}
    with gradebook(course) as book:
        for student in ("ada", "eve"):
            assert book.find_submission(NAME, student).needs_manual_grade

    assert all(api.autograde(NAME, student)["success"] for student in ("ada", "eve"))
    assert total(course, "eve") == EVERYTHING
    with gradebook(course) as book:
        assert not book.find_submission(NAME, "eve").needs_manual_grade


@nbgraders_warnings
def test_the_button_sees_a_changed_course(button, right, monkeypatch):
    course, api = button
    write(course, "ada", right())
    api.autograde(NAME, "ada")
    desk = converters._desks._open
    with monkeypatch.context() as never:
        never.setattr(origin, "grade", None)  # her result is kept
        assert api.autograde(NAME, "ada")["success"]
    assert converters._desks._open is desk  # no second server for the same course
    manifest = course / "course.yml"
    manifest.write_text(manifest.read_text().replace("points: 3", "points: 5", 1))
    assert api.autograde(NAME, "ada")["success"]
    assert total(course, "ada") == EVERYTHING + 2
    assert not desk.server._folder.exists()


def test_what_staff_can_mend_is_told_in_a_sentence(tmp_path):
    course = new_course(tmp_path / "course")
    write(course, "ada", "")
    manifest = course / "course.yml"
    manifest.write_text(manifest.read_text().replace("points: 3", "points: -3", 1))
    done = run(course, "nbgrader", "autograde", NAME, fails=True)
    assert "must be at least 0" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (course / "gradebook.db").exists() or not scores(course)


def test_nbgraders_other_commands_are_as_ever(tmp_path):
    course = new_course(tmp_path / "course")
    done = run(course, "nbgrader", "validate", f"assignments/{NAME}/{NAME}.ipynb")
    assert "failed" in done.stdout  # the stub does


@nbgraders_warnings
def test_the_button_for_an_assignment_does_what_autograder_release_does(button):
    course, api = button
    folder = course / "assignments" / NAME
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    (folder / f"{NAME}.ipynb").write_text((folder / f"{NAME}.ipynb").read_text() + " ")
    assert api.generate_assignment(NAME)["success"]
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    (course / "solutions" / NAME / "checks.py").write_text("no Python")
    done = api.generate_assignment(NAME)
    assert not done["success"]
    assert "checks.py" in done["log"]
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
