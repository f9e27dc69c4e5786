"""Scores leave in the format of the system that they go to, and are read back as it reads them."""

import json
import shutil
import subprocess
import sys
import zipfile

import jsonschema
import pytest
import strict_readers
from nbgrader.api import Gradebook
from typer.testing import CliRunner

from autograder.cli import app
from autograder.course import read_course
from autograder.export import read_settings
from autograder.export.formats.marks import Marks

NAME = "squares"
ROSTER = """\
id,first_name,last_name,email,section,canvas,moodle
ada,Ada,"Lovelace, Countess",ada@example.org,A,11,101
bob,=cmd(),Ünïcode,bob@example.org,A,12,102
eve,Eve,"O""Hara",eve@example.org,B,13,103
zoe,Zoe,Absent,zoe@example.org,B,14,104
"""
CANVAS = {"11": ("", "ada"), "12": ("", "bob"), "13": ("", "eve"), "14": ("", "zoe")}


def call(*args, status=0):
    done = CliRunner().invoke(app, [*args])
    assert done.exit_code == status, (done.output, done.exception)
    return done.output


@pytest.fixture(scope="module")
def marked(released, tmp_path_factory):
    """The class graded: ada's report is read, bob's waits, eve handed in the stub, zoe nothing."""
    root = tmp_path_factory.mktemp("marked") / "course"
    shutil.copytree(released, root)
    (root / "roster.csv").write_text(ROSTER)
    call("grade", NAME, "--jobs", "1", "--course", str(root))
    with Gradebook(read_settings(root).db_url) as book:
        grade = book.find_grade("report", NAME, NAME, "ada")
        grade.manual_score, grade.needs_manual_grade = 2.5, False
        book.find_comment("report", NAME, NAME, "ada").manual_comment = "Why <b>squares?"
        book.db.commit()
    return root


@pytest.fixture
def here(marked, tmp_path, monkeypatch):
    root = tmp_path / "course"
    shutil.copytree(marked, root)
    monkeypatch.chdir(root)
    monkeypatch.setenv("COLUMNS", "400")
    return root


def most(here):
    assignment = read_course(here).assignment(NAME)
    return assignment.max_score, assignment.max_score + 3


def test_what_has_no_score_is_empty_and_told_by_name(here):
    by_checks, points = most(here)
    said = call("export", NAME)
    assert f"{NAME}: 2 graded, of {points:g} points" in said
    assert "waits for people: 1 (=cmd() Ünïcode)" in said
    assert "not handed in: 1 (Zoe Absent)" in said
    ada, bob, eve, zoe = strict_readers.spreadsheet(here / "exports" / f"{NAME}.csv")
    assert (ada["Last name"], ada["State"]) == ("Lovelace, Countess", "graded")
    assert (ada["report"], ada["Score"], ada["Points"]) == (
        "2.5",
        f"{by_checks + 2.5:g}",
        f"{points:g}",
    )
    assert (bob["First name"], bob["Last name"]) == ("'=cmd()", "Ünïcode")
    assert (bob["report"], bob["Score"], bob["State"]) == ("", "", "waits for people")
    assert bob[read_course(here).assignment(NAME).items[0].id] != ""
    assert (eve["Last name"], eve["Score"]) == ('O"Hara', "0")
    assert {zoe[each] for each in (*list(zoe)[6:-1],)} == {""}
    assert call("export", NAME, "--zero", "--force").count("not handed in: 1") == 1
    *_, zoe = strict_readers.spreadsheet(here / "exports" / f"{NAME}.csv")
    assert (zoe["State"], zoe["Score"]) == ("not handed in", "0")


def test_a_roster_of_whole_names_gives_both_columns(here):
    """Nobody is without a name; where nothing but an id is known, there is none."""
    (here / "roster.csv").write_text("id,name\nada,Dana de Cruz\nbob,Plato\neve,\n")
    call("export", NAME)
    rows = strict_readers.spreadsheet(here / "exports" / f"{NAME}.csv")
    names = [(each["First name"], each["Last name"]) for each in rows]
    assert names[:3] == [("Dana de", "Cruz"), ("", "Plato"), ("", "")]


def test_canvas_takes_it(here):
    by_checks, points = most(here)
    call("export", NAME, "--to", "canvas")
    title = read_course(here).assignment(NAME).title
    text = (here / "exports" / f"{NAME}-canvas.csv").read_text()
    grades, possible = strict_readers.canvas(text, CANVAS, {"7": title})
    assert possible == {"7": points}
    assert grades == {
        ("11", "7"): by_checks + 2.5,
        ("12", "7"): None,
        ("13", "7"): 0,
        ("14", "7"): None,
    }
    assert '"Lovelace, Countess, Ada"' in text


def test_a_course_goes_to_canvas_without_what_canvas_lacks(here):
    """A second assignment, of which there are results, and which Canvas does not have."""
    manifest = here / "course.yml"
    text = manifest.read_text()
    entry = text[text.index(f"  {NAME}:\n") :].replace(NAME, "cubes")
    manifest.write_text(f"{text.rstrip()}\n{entry.replace('title: Squares', 'title: Cubes', 1)}")
    shutil.copytree(here / "solutions" / NAME, here / "solutions" / "cubes")
    source = here / "solutions" / "cubes" / f"{NAME}.py"
    source.rename(source.with_name("cubes.py"))
    (here / "results" / "cubes").mkdir()
    result = (here / "results" / NAME / "ada.json").read_text()
    (here / "results" / "cubes" / "ada.json").write_text(
        result.replace(f'"assignment": "{NAME}"', '"assignment": "cubes"')
    )
    (here / "Grades.csv").write_text(
        f"Student,ID,SIS User ID,SIS Login ID,Section,{NAME} (7)\nAda,11,,ada,A,\n"
    )
    fill = ("export", "--to", "canvas", "--into", "Grades.csv")
    said = call(*fill, status=1)
    assert "left out: Grades.csv has no column for cubes" in said
    (row,) = strict_readers.table((here / "exports" / "course-canvas.csv").read_text())
    assert float(row[f"{NAME} (7)"]) == most(here)[0] + 2.5
    assert "has no column for cubes" in call(*fill[:1], "cubes", *fill[1:], status=2)


def test_moodle_takes_it(here):
    by_checks, points = most(here)
    call("export", NAME, "--to", "moodle")
    text = (here / "exports" / f"{NAME}-moodle.csv").read_text()
    taken = strict_readers.moodle(text, {"101", "102", "103", "104"}, points)
    assert taken["101"][0] == by_checks + 2.5
    assert taken["101"][1].endswith("The report: Why &lt;b&gt;squares?")
    assert taken["102"] == taken["104"] == ("", "")
    assert taken["103"][0] == 0
    assert "1. " in taken["103"][1]
    assert "Costs" in taken["103"][1]
    assert "'=cmd() Ünïcode" in text


def test_gradescope_takes_it_and_hands_it_to_who_handed_in(here, tmp_path):
    by_checks, points = most(here)
    call("export", NAME, "--to", "gradescope")
    path = here / "exports" / f"{NAME}-gradescope.zip"
    found = strict_readers.gradescope(path)
    assert found.keys() == {"ada@example.org", "eve@example.org"}
    ada = found["ada@example.org"]
    assert ada["score"] == by_checks + 2.5
    assert sum(test["max_score"] for test in ada["tests"]) == points
    assert ada["tests"][-1]["output"] == "People gave 2.5 of 3.\n\nWhy <b>squares?"

    machine = tmp_path / "autograder"
    (machine / "results").mkdir(parents=True)
    with zipfile.ZipFile(path) as archive:
        archive.extractall(machine / "source")
    program = machine / "source" / "run_autograder"
    program.write_text(program.read_text().replace('"/autograder"', repr(str(machine))))
    metadata = {"users": [{"email": "Ada@Example.org", "id": 1, "name": "Ada"}]}
    (machine / "submission_metadata.json").write_text(json.dumps(metadata))
    subprocess.run([sys.executable, program], check=True)
    assert json.loads((machine / "results" / "results.json").read_text()) == ada
    (machine / "results" / "results.json").unlink()
    metadata["users"][0]["email"] = "bob@example.org"
    (machine / "submission_metadata.json").write_text(json.dumps(metadata))
    done = subprocess.run([sys.executable, program], capture_output=True, text=True)
    assert done.returncode == 1
    assert "no result for bob@example.org" in done.stderr
    assert not (machine / "results" / "results.json").exists()


def test_pages_go_back_to_students_through_moodle(here):
    (here / "feedback" / "bob" / NAME / f"{NAME}.html").unlink()
    sheet = here / "worksheet.csv"
    sheet.write_text(
        "Identifier,Full name,Email address,Grade\n"
        "Participant 901,Ada,ada@example.org,\nParticipant 903,Eve,EVE@example.org,\n"
    )
    for more, numbers in (((), {"101", "103"}), (("--into", "worksheet.csv"), {"901", "903"})):
        call("export", NAME, "--to", "moodle-feedback", "--output", f"{len(more)}.zip", *more)
        found = strict_readers.moodle_feedback(here / f"{len(more)}.zip", numbers)
        assert found.keys() == numbers
        page = (here / "feedback" / "ada" / NAME / f"{NAME}.html").read_bytes()
        assert found[min(numbers)] == (f"{NAME}.html", page)


def test_programs_read_all_of_it(here):
    by_checks, points = most(here)
    call("export", "--to", "json")
    data = json.loads((here / "exports" / f"{NAME}.json").read_text())
    jsonschema.validate(data, Marks.model_json_schema())
    marks = Marks.model_validate_json(json.dumps(data), strict=True)
    ada, bob, eve, zoe = marks.students
    assert ada.work[0].score == ada.total.score == by_checks + 2.5
    assert ada.total.percent == pytest.approx(100 * (by_checks + 2.5) / points)
    assert (bob.work[0].score, bob.total.score) == (None, None)
    assert bob.total.without == {NAME: "waits for people"}
    assert bob.work[0].mistakes
    assert eve.work[0].score == 0
    assert zoe.work[0].handed_in is None
    assert ada.work[0].handed_in.isoformat() == "2000-01-01T12:00:00+00:00"


def test_statistics_have_a_row_an_item(here):
    call("export", NAME, "--by", "item")
    rows = strict_readers.spreadsheet(here / "exports" / f"{NAME}-items.csv")
    items = [each.id for each in read_course(here).assignment(NAME).items]
    assert len(rows) == 4 * (len(items) + 1)
    ada = {row["Item"]: row for row in rows if row["Student"] == "ada"}
    assert ada[items[0]]["Verdict"] == "passed"
    assert (ada["report"]["Verdict"], ada["report"]["By hand"]) == ("", "yes")
    bob = next(row for row in rows if row["Student"] == "bob")
    assert (bob["Verdict"], bob["Score"], bob["Name"]) == ("wrong", "0", "'=cmd() Ünïcode")
    zoe = next(row for row in rows if row["Student"] == "zoe")
    assert (zoe["Verdict"], zoe["Score"], zoe["State"]) == ("", "", "not handed in")


def test_nothing_is_replaced_and_nothing_written_on_trial(here):
    gradebook = (here / "gradebook.db").read_bytes()
    assert "would write" in call("export", NAME, "--dry-run")
    assert not (here / "exports").exists()
    call("export", NAME, "--output", "table.csv")
    before = (here / "table.csv").read_bytes()
    assert "--force replaces it" in call("export", NAME, "--output", "table.csv", status=2)
    assert (here / "table.csv").read_bytes() == before
    call("export", NAME, "--output", "table.csv", "--force", "--zero")
    assert (here / "table.csv").read_bytes() != before
    assert (here / "gradebook.db").read_bytes() == gradebook


def test_whom_the_system_does_not_know_is_told_before_anything_is_written(here):
    roster = here / "roster.csv"
    roster.write_text(ROSTER.replace("eve@example.org,B,13,103", "eve@example.org,B,,"))
    for system in ("canvas", "moodle"):
        said = call("export", NAME, "--to", system, status=2)
        assert 'Eve O"Hara' in said
        assert "Zoe" not in said
        assert not (here / "exports").exists()
    call("export", NAME, "--to", "canvas", "--skip-unknown")
    assert "Hara" not in (here / "exports" / f"{NAME}-canvas.csv").read_text()
    roster.unlink()
    with Gradebook(read_settings(here).db_url) as book:
        for student in book.students:  # there e-mails stand, too, since it was graded
            student.email = None
        book.db.commit()
    assert 'Ada Lovelace, Countess, Eve O"Hara; add it' in call(
        "export", NAME, "--to", "gradescope", status=2
    )


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (("--by", "item", "--to", "json"), "--by item is a table's"),
        (("--into", "x.csv"), "--into goes with --to canvas or moodle"),
        (("--into", "x.csv", "--to", "moodle"), "x.csv is not a file"),
        (("--output", "solutions"), "solutions is a folder"),
        (("cubes",), "no assignment 'cubes' in course.yml"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(here, args, why):
    assert why in call("export", *args, status=2)


def test_what_was_not_graded_is_not_exported(here):
    (here / "gradebook.db").unlink()
    assert "there is no gradebook" in call("export", NAME, status=2)
    assert not (here / "gradebook.db").exists()
