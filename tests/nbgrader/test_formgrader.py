"""After `autograder grade`, without a further step, nbgrader and its formgrader are ready."""

import shutil
import sys
from datetime import timedelta

import nbformat
import pytest
from nbgrader.api import Gradebook
from nbgrader.apps.api import NbGraderAPI
from nbgrader_course import EVERYTHING, NAME, SECRET, everything, new_course, run, write
from typer.testing import CliRunner

from autograder.cli import app
from autograder.export import read_settings
from autograder.nbgrader import converters
from autograder.proof.samples import sample_class

BY_HAND = "a6_translation"
# nbgrader looks things up while a submission is half built, and SQLAlchemy warns of it.
pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A course in which nobody has handed in."""
    monkeypatch.setenv("AUTOGRADER_SECRET", SECRET)
    monkeypatch.setenv("JUPYTER_NO_CONFIG", "1")
    monkeypatch.setenv("COLUMNS", "400")
    monkeypatch.delitem(sys.modules, "late", raising=False)
    course = new_course(tmp_path / "course")
    monkeypatch.chdir(course)
    yield course
    converters._desks.close()


def grade(name=NAME, *options):
    done = CliRunner().invoke(app, ["grade", name, "--jobs", "1", *options])
    assert done.exit_code == 0, (done.output, done.exception)
    return done


def formgrader(course):
    """What the formgrader asks, in this process."""
    directory = read_settings(course).directory
    return NbGraderAPI(directory, config=directory.config)


def sent(course, student, when, name=NAME):
    (course / "submitted" / student / name / "timestamp.txt").write_text(when)


def hand_in_translation(here, course):
    """Two students: one with everything right and a report, one with nothing."""
    for sample in sample_class(course, BY_HAND):
        if sample.name in ("loops", "untouched_stub"):
            path = sample.write(here / "submitted")
    path = here / "submitted" / "loops" / BY_HAND / f"{BY_HAND}.ipynb"
    notebook = nbformat.read(path, 4)
    report = next(each for each in notebook.cells if each.id == "report_masks")
    report.source = "Of my *masks*."
    nbformat.write(notebook, path)


def test_the_formgrader_lists_everybody_and_what_waits_for_a_person(here, course):
    hand_in_translation(here, course)
    sent(here, "loops", "2027-03-01 12:00:00 UTC", BY_HAND)
    api = formgrader(here)
    every = {each.id for each in course.assignments}
    assert {each["name"] for each in api.get_assignments()} == every

    grade(BY_HAND)

    assert {each["name"] for each in api.get_assignments()} == every
    assert api.get_assignment(BY_HAND)["num_submissions"] == 2
    loops, stub = api.get_submissions(BY_HAND)
    assert (loops["autograded"], stub["autograded"]) == (True, True)
    parts = course.assignment(BY_HAND)
    by_hand = sum(each.points for each in parts.manual)
    most = parts.max_score
    assert (loops["score"], loops["max_score"]) == (most, most + by_hand)
    assert loops["display_timestamp"] == "2027-03-01 12:00:00 UTC"
    assert (loops["needs_manual_grade"], stub["needs_manual_grade"]) == (True, False)
    shown = api.get_notebook_submissions(BY_HAND, BY_HAND)
    assert sorted(each["index"] for each in shown) == [0, 1]
    notebook = nbformat.read(here / "autograded" / "loops" / BY_HAND / f"{BY_HAND}.ipynb", 4)
    cells = {each.metadata.get("nbgrader", {}).get("grade_id"): each for each in notebook.cells}
    assert cells["loss_value"].outputs[0].text.startswith("loss_value: passed (")
    assert cells["report_masks"].source == "Of my *masks*."
    with Gradebook(read_settings(here).db_url) as book:
        waiting = {
            each.name
            for each in book.find_submission(BY_HAND, "loops").notebooks[0].grades
            if each.needs_manual_grade
        }
    assert waiting == {part.id for part in course.assignment(BY_HAND).manual}


# To be imported by nbgrader_config.py: half of all points for each day.
LATE = """
from nbgrader.plugins import BasePlugin

class HalfADay(BasePlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return score * min(1, total_seconds_late / 172800)
"""
CONFIG = """
c.CourseDirectory.db_url = "sqlite:///{folder}/elsewhere.db"
c.CourseDirectory.submitted_directory = "handed_in"
c.CourseDirectory.autograded_directory = "looked_at"
c.CourseDirectory.feedback_directory = "given_back"
c.AssignLatePenalties.plugin_class = "late.HalfADay"
"""


def late_class(course, right):
    """On time, two days late, a day late, as late with an extension, and wrong and late."""
    (course / "late.py").write_text(LATE)
    (course / "roster.csv").write_text("id,name,email\nada,Ada Lovelace,ada@x\neve,,eve@x\n")
    config = (course / "nbgrader_config.py").read_text()
    folder = course.parent / course.name
    (course / "nbgrader_config.py").write_text(config + CONFIG.format(folder=folder))
    wrong = right()
    cell = next(each for each in wrong.cells if each.get("id") == "solution_attention")
    cell.source = cell.source.replace("math.sqrt(q.shape[-1])", "q.shape[-1]")
    days = {"ada": None, "bob": 7, "cleo": 10, "dan": 9, "eve": 9}
    for student, day in days.items():
        write(course, student, wrong if student == "eve" else right())
        if day:
            sent(course, student, f"2027-02-{day:02} 22:59:00 UTC")
    (course / "submitted").rename(course / "handed_in")


def extend(url):
    with Gradebook(url) as book:
        book.find_submission(NAME, "dan").extension = timedelta(days=1)
        book.find_grade("attention_scale", NAME, NAME, "bob").manual_score = 0.5
        book.db.commit()


def test_both_roads_keep_one_gradebook_with_one_policy(here, right, tmp_path, monkeypatch):
    late_class(here, right)
    theirs = tmp_path / "theirs"
    shutil.copytree(here, theirs)
    config = theirs / "nbgrader_config.py"
    config.write_text(config.read_text().replace(str(here), str(theirs)))

    for _ in range(2):
        said = grade().stdout
        extend(f"sqlite:///{here}/elsewhere.db")
    grade()
    assert "elsewhere.db (5 recorded, 2 written now)" in " ".join(said.split())
    monkeypatch.chdir(theirs)
    for _ in range(2):
        for student in ("ada", "bob", "cleo", "dan", "eve"):
            assert formgrader(theirs).autograde(NAME, student)["success"]
        extend(f"sqlite:///{theirs}/elsewhere.db")

    found, expected = (everything(f"sqlite:///{at}/elsewhere.db") for at in (here, theirs))
    assert found == expected
    assert found["ada"][-1] == ("Ada", "Lovelace", "ada@x")
    costs = {student: each[2] for student, each in found.items()}
    assert costs["ada"] == costs["bob"] == costs["dan"] == 0
    assert costs["cleo"] == EVERYTHING
    assert costs["eve"] == found["eve"][3] / 2 > 0
    for folder in (here, theirs):
        assert not (folder / "gradebook.db").exists()
    files, others = (
        {path.relative_to(at).as_posix() for path in (at / "looked_at").rglob("*")}
        for at in (here, theirs)
    )
    assert files == others
    assert (here / "given_back" / "cleo" / NAME / f"{NAME}.html").exists()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("c.CourseDirectory.course_id = course", "name 'course' is not defined"),
        ('c.AssignLatePenalties.plugin_class = "late.Half"', "late.Half"),
    ],
)
def test_a_wrong_configuration_is_told(here, line, words):
    with (here / "nbgrader_config.py").open("a") as file:
        file.write(line)
    done = CliRunner().invoke(app, ["grade", NAME])
    assert done.exit_code == 2
    assert "nbgrader_config.py cannot be read" in " ".join(done.stderr.split())
    assert words in " ".join(done.stderr.split())


def test_a_plugin_that_fails_is_named(here, right):
    late_class(here, right)
    (here / "late.py").write_text(LATE.replace("return score", "return scores"))
    done = CliRunner().invoke(app, ["grade", NAME, "--jobs", "1"])
    assert done.exit_code == 2
    assert "HalfADay, which reckons what late work costs" in " ".join(done.stderr.split())


def test_feedback_is_made_and_released_by_nbgrader(here, right, tmp_path):
    """Of what came through nbgrader's exchange: it wants the time and the secret that lie there."""
    write(here, "ada", right())
    sent(here, "ada", "2027-02-07 22:59:00 UTC")
    (here / "submitted" / "ada" / NAME / "submission_secret.txt").write_text("s3cret")
    grade()
    exchange = tmp_path / "exchange"
    exchange.mkdir(mode=0o777)
    exchange.chmod(0o777)
    run(here, "nbgrader", "release_feedback", NAME, f"--Exchange.root={exchange}")
    (released,) = exchange.rglob("*.html")
    ours = here / "feedback" / "ada" / NAME / f"{NAME}.html"
    assert released.read_text() == ours.read_text()
    run(here, "nbgrader", "generate_feedback", NAME, "--force")
    assert "attention_scale: passed (2 of 2)" in ours.read_text()
