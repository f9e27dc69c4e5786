"""Late work costs what course.yml says, on pages, in the gradebook, and on both roads alike."""

import shutil

import pytest
from nbgrader.api import Gradebook
from nbgrader_course import everything, run
from typer.testing import CliRunner

from autograder.cli import app
from autograder.course import read_course
from autograder.export import read_settings

NAME, LATER = "squares", "cubes"
DATES = "    dates: {{released: 1999-01-01T09:00:00Z, due: {}T12:00:00Z}}\n    locate: false\n"
POLICY = "late: {grace_minutes: 30, percent_per_day: 20, percent_at_most: 60}\n"


def call(*args, status=0):
    done = CliRunner().invoke(app, [*args])
    assert done.exit_code == status, (done.output, done.exception)
    return " ".join(done.output.split())


@pytest.fixture
def late(here):
    """A policy of 20 % a day with 3 late days; bob is right as ada is, and eve handed in nothing.

    Another assignment, due a month later, is the same in everything else.
    """
    manifest = here / "course.yml"
    text = manifest.read_text().replace("    locate: false\n", DATES.format("1999-12-31"), 1)
    start = text.index(f"  {NAME}:\n")
    entry = text[start:].replace("1999-12-31", "2000-01-31").replace(NAME, LATER)
    manifest.write_text(f"{POLICY}late_days: 3\n{text.rstrip()}\n{entry}")
    for folder in ("solutions", "assignments"):
        shutil.copytree(here / folder / NAME, here / folder / LATER)
        for path in (here / folder / LATER).glob(f"{NAME}.*"):
            path.write_text(
                path.read_text().replace(f'"assignment": "{NAME}"', f'"assignment": "{LATER}"')
            )
            path.rename(path.with_name(path.name.replace(NAME, LATER)))
    for student in ("ada", "bob"):
        notebook = (here / "submitted" / "ada" / NAME / f"{NAME}.ipynb").read_text()
        for name in (NAME, LATER):
            folder = here / "submitted" / student / name
            folder.mkdir(exist_ok=True)
            (folder / f"{name}.ipynb").write_text(
                notebook.replace(f'"assignment": "{NAME}"', f'"assignment": "{name}"')
            )
    return here


def sent(here, student, name, when):
    (here / "submitted" / student / name / "timestamp.txt").write_text(f"{when} UTC")


def penalties(here, name):
    with Gradebook(read_settings(here).db_url) as book:
        found = book.assignment_submissions(name)
        return {each.student.id: each.late_submission_penalty for each in found}


def page(here, student, name=NAME):
    return (here / "feedback" / student / name / f"{name}.html").read_text()


def test_days_cost_and_late_days_go_first(late):
    most = read_course(late).assignment(NAME).worth
    sent(late, "ada", NAME, "2000-01-02 12:10:00")  # 2 days, within the grace
    sent(late, "bob", NAME, "2000-01-04 13:00:00")  # 5 days have begun
    sent(late, "ada", LATER, "2000-02-02 12:00:00")
    sent(late, "eve", NAME, "1999-12-31 11:00:00")
    call("grade", LATER, "--jobs", "1")
    # Nobody knows yet what is used up.
    assert penalties(late, LATER) == {"ada": 0, "bob": 0}

    told = call("grade", NAME, "--jobs", "1")

    score = f"{(right := read_course(late).assignment(NAME).max_score):g} of {right:g}"
    assert f"│ ada │ {score} │ 2 days │" in told
    assert f"│ bob │ {score} │ 4 days, 5 days begun │" in told
    assert penalties(late, NAME) == {"ada": 0, "bob": pytest.approx(0.4 * most), "eve": 0}
    assert "Due Friday, 31 December 1999, 12:00 (UTC)." in page(late, "ada")
    assert (
        "Handed in 2 days late: 2 late days went to it, and it costs nothing. Late days left: 1."
    ) in page(late, "ada")
    assert (
        "Handed in 4 days late, 5 days begun: 3 late days went to it, and 2 days cost 40 %: "
        f"{0.4 * most:.10g} less. Late days left: 0. Each day late costs 20 % of the points"
    ) in page(late, "bob")
    brief = f"4 days, 5 days begun, 3 late days, \N{MINUS SIGN}{0.4 * most:.10g}</td>"
    assert brief in (late / "results" / f"{NAME}.html").read_text()
    assert "Late days left: 3." in page(late, "eve")
    # What one hand-in costs depends on the other, in whichever order they are graded.
    assert penalties(late, LATER) == {"ada": pytest.approx(0.2 * most), "bob": 0}
    call("pages", LATER)
    said = (
        f"1 late day went to it, and 1 day costs 20 %: {0.2 * most:.10g} less. Late days left: 0."
    )
    assert said in page(late, "ada", LATER)


def test_what_has_no_points_takes_no_late_day(late):
    sent(late, "eve", NAME, "2000-01-05 08:00:00")  # as it was handed out
    sent(late, "bob", LATER, "2000-02-03 08:00:00")
    notebook = late / "submitted" / "bob" / LATER / f"{LATER}.ipynb"
    stub = (late / "submitted" / "eve" / NAME / f"{NAME}.ipynb").read_text()
    notebook.write_text(stub.replace(f'"assignment": "{NAME}"', f'"assignment": "{LATER}"'))
    for name in (NAME, LATER):
        call("grade", name, "--jobs", "1")
    said = "4 days and 20 hours late, 5 days begun: it has no points to lose. Late days left: 3."
    assert said in page(late, "eve")
    assert penalties(late, NAME)["eve"] == 0
    with Gradebook(read_settings(late).db_url) as book:
        grade = book.find_grade("report", LATER, LATER, "bob")
        grade.needs_manual_grade, grade.auto_score = True, None  # people have yet to read it
        book.db.commit()
    call("pages", LATER)
    assert "3 late days went to it, and it costs nothing. Late days left: 0." in page(
        late, "bob", LATER
    )
    with Gradebook(read_settings(late).db_url) as book:
        grade = book.find_grade("report", LATER, LATER, "bob")
        grade.needs_manual_grade, grade.manual_score = False, 1
        book.db.commit()
    call("pages", LATER)
    assert "3 late days went to it, and it costs nothing. Late days left: 0." in page(
        late, "bob", LATER
    )


def test_an_extension_is_enough_and_may_be_taken_back(late):
    sent(late, "bob", NAME, "2000-01-09 12:00:00")
    call("grade", NAME, "--jobs", "1")
    cost = penalties(late, NAME)["bob"]
    assert cost > 0
    extensions = late / "extensions.csv"
    extensions.write_text(f"student,assignment,days,reason\nbob,{NAME},9,ill\n")
    call("pages", NAME)
    assert penalties(late, NAME)["bob"] == 0
    assert (
        "Handed in 9 days after the deadline; your extension runs to "
        "Sunday, 9 January 2000, 12:00 (UTC): nothing is taken off. Late days left: 3."
    ) in page(late, "bob")
    assert "less" not in page(late, "bob").partition("<h2>")[0].rpartition("</header>")[2]
    assert "deadline" not in page(late, "ada")  # who needs no extension
    extensions.write_text(f"student,assignment,days,reason\nbob,{NAME},8.5,ill\n")
    call("grade", NAME, "--jobs", "1")
    assert penalties(late, NAME)["bob"] == 0  # by a late day
    assert "Due Saturday, 9 January 2000" not in page(late, "bob")
    assert (
        "Due Sunday, 9 January 2000, 00:00 (UTC), with your extension. Handed in 12 hours late"
    ) in page(late, "bob")
    extensions.unlink()
    call("pages", NAME)
    assert penalties(late, NAME)["bob"] == cost

    sent(late, "bob", NAME, "1999-12-31 12:10:00")
    call("grade", NAME, "--jobs", "1")
    said = "Handed in 10 minutes after the deadline; that is not counted as late: nothing is taken"
    assert said in page(late, "bob")


def test_points_that_people_give_are_late_too(late):
    manifest = late / "course.yml"
    manifest.write_text(
        manifest.read_text().replace(
            "percent_per_day: 20, percent_at_most: 60", "percent_per_day: 100"
        )
    )
    sent(late, "bob", NAME, "2000-02-09 12:00:00")
    call("grade", NAME, "--jobs", "1")
    with Gradebook(read_settings(late).db_url) as book:
        grade = book.find_grade("report", NAME, NAME, "bob")
        grade.manual_score, grade.needs_manual_grade = 3, False
        book.db.commit()
    call("pages", NAME)
    most = read_course(late).assignment(NAME).worth
    assert penalties(late, NAME)["bob"] == most
    assert f"{most:g} less" in page(late, "bob")


@pytest.mark.slow
def test_both_roads_agree_on_late_work(late):
    for student, day in (("ada", "02"), ("bob", "06")):
        sent(late, student, NAME, f"2000-01-{day} 12:00:00")
        sent(late, student, LATER, f"2000-02-{day} 12:00:00")
    (late / "extensions.csv").write_text(f"student,assignment,days\nbob,{NAME},1\n")
    theirs = late.with_name("theirs")
    shutil.copytree(late, theirs)
    for name in (LATER, NAME):
        call("grade", name, "--jobs", "1")
        run(theirs, "nbgrader", "autograde", name)
    for name in (NAME, LATER):
        found, expected = (everything(read_settings(at).db_url, name) for at in (theirs, late))
        assert found == expected
        assert any(each[2] for each in expected.values())


@pytest.mark.parametrize("said", ["course.yml", "extensions.csv"])
def test_what_nobody_looks_at_is_told(late, said):
    config = late / "nbgrader_config.py"
    config.write_text(config.read_text().replace("c.AssignLatePenalties.plugin", "# c."))
    if said == "extensions.csv":
        manifest = late / "course.yml"
        text = manifest.read_text().replace(POLICY, "").replace("late_days: 3\n", "")
        manifest.write_text(text)
        (late / said).write_text("student,assignment,days\n")
    told = call("grade", NAME, status=2)
    assert f"{said}" in told
    assert "is not looked at: nbgrader_config.py leaves late work to LateSubmissionPlugin" in told


def test_a_wrong_extension_is_told_before_anything_is_graded(late):
    (late / "extensions.csv").write_text("student,assignment,days\nbob,circles,2\n")
    assert "extensions.csv:2: assignment must be one of squares, cubes" in call(
        "grade", NAME, status=2
    )
    assert not (late / "gradebook.db").exists()


def test_days_that_an_extension_frees_go_to_the_others(late):
    sent(late, "bob", NAME, "2000-01-03 12:00:00")
    sent(late, "bob", LATER, "2000-02-01 12:00:00")
    for name in (NAME, LATER):
        call("grade", name, "--jobs", "1")
    assert (cost := penalties(late, LATER)["bob"]) > 0
    assert "Late days left: 0." in page(late, "bob", LATER)
    others = (late / "feedback" / "ada" / LATER / f"{LATER}.html").stat().st_mtime_ns
    extensions, overview = late / "extensions.csv", late / "results" / "index.html"
    before, of_class = overview.read_text(), (late / "results" / f"{LATER}.html").read_text()

    extensions.write_text(f"student,assignment,days\nbob,{NAME},3\n")
    assert f"late days: 1 page of {LATER} written again" in call("pages", NAME)

    assert penalties(late, LATER)["bob"] == 0
    assert "Late days left: 2." in page(late, "bob", LATER)
    assert (late / "feedback" / "ada" / LATER / f"{LATER}.html").stat().st_mtime_ns == others
    extensions.unlink()
    assert f"late days: 1 page of {LATER} written again" in call("grade", NAME, "--jobs", "1")
    assert penalties(late, LATER)["bob"] == cost
    assert "Late days left: 0." in page(late, "bob", LATER)
    assert (late / "results" / f"{LATER}.html").read_text() == of_class
    assert overview.read_text() == before
    assert "written again" not in call("pages", NAME)


def test_pages_that_cannot_be_mended_now_are_named(late):
    sent(late, "bob", NAME, "2000-01-03 12:00:00")
    sent(late, "bob", LATER, "2000-01-01 12:00:00")
    for name in (NAME, LATER):
        call("grade", name, "--jobs", "1")
    (late / "extensions.csv").write_text(f"student,assignment,days\nbob,{NAME},3\n")
    manifest = late / "course.yml"
    before, entry, after = manifest.read_text().partition(f"  {LATER}:\n")
    manifest.write_text(before + entry + after.replace("points: 2", "points: 4", 1))
    told = call("pages", NAME)
    assert f"note: pages of {LATER} may tell of late days as they were: in {LATER} the" in told
    assert f"run `autograder grade {LATER}` first" in told
    assert "Late days left: 0." in page(late, "bob", LATER)
