"""`autograder collect`: from a download to a grade, and what is told on the way."""

import json
import zipfile
from datetime import timedelta

import pytest
from nbgrader.api import Gradebook
from typer.testing import CliRunner

from autograder.cli import app
from autograder.export import read_settings

NAME = "squares"
DUE = "    dates: {released: 1999-01-01T09:00:00Z, due: 2000-01-01T12:00:00Z}\n"
WHEN = {
    "ada": "1T12:20:00Z",
    "bob": "3T10:00:00Z",
    "carl": "3T12:00:00Z",
    "eve": "4T12:30:00Z",
    "fay": "2T00:10:00Z",
}


def call(*args, status=0):
    done = CliRunner().invoke(app, [*map(str, args)])
    assert done.exit_code == status, (done.output, done.exception)
    return done.output


@pytest.fixture
def download(here):
    """What Moodle gives for two of the class and a stranger; nobody has handed in yet."""
    notebooks = {who: (here / "submitted" / who / NAME / f"{NAME}.ipynb") for who in ("ada", "bob")}
    texts = {who: path.read_bytes() for who, path in notebooks.items()}
    for who in ("ada", "bob", "eve"):
        (here / "submitted" / who).rename(here / f"{who}_before")
    (here / "roster.csv").write_text("id,name\nada,Ada Lovelace\nbob,Bob Hope\neve,Eve Adams\n")
    path = here / "downloaded" / "moodle.zip"
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in (("Ada Lovelace_501", "ada"), ("Bob Hope_502", "bob"), ("Mal_9", "bob")):
            archive.writestr(f"{name}_assignsubmission_file_/mine.ipynb", texts[text])
        archive.writestr("Bob Hope_502_assignsubmission_file_/../../../evil.py", "evil")
    return path


def test_a_download_is_looked_at_collected_and_graded(here, download):
    said = call("collect", NAME, download, "--dry-run", status=1)
    assert not [*(here / "submitted").iterdir()]
    assert "nothing was written" in said
    assert said.replace("nothing was written: this was --dry-run\n", "") == call(
        "collect", NAME, download, status=1
    )
    assert "missing: Eve Adams (eve)" in said
    assert "unknown: Mal" in said
    figures = "3 handed in, 1 missing, 0 late, 0 more than once, 1 unknown, 2 for a person"
    assert said.partition(figures)[2].splitlines()[:3] == [
        " to look at",
        "  Bob Hope (bob): not taken: ../../../evil.py has a path that leads elsewhere",
        "  unknown_Mal: the roster does not know Mal",
    ]
    assert said.count("evil.py") == 1
    assert "? nobody says when it was handed in" in said
    call("grade", NAME, "--jobs", 1, "--dry-run")
    results = {
        path.stem: json.loads(path.read_text()) for path in (here / "results").rglob("*.json")
    }
    assert results.keys() == {"ada", "bob", "unknown_Mal"}
    assert results["ada"]["score"] == results["ada"]["max_score"] > results["bob"]["score"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("cubes", "x"), "no assignment 'cubes'"),
        ((NAME, "nowhere.zip"), "there is no nowhere.zip"),
        ((NAME, "course.yml"), "course.yml is no folder, no zip and no notebook"),
        ((NAME, "submitted", "--as", "sakai"), "--as must be nbgrader, canvas, moodle, gradescope"),
        ((NAME, "submitted", "--times", "x.csv"), "there is no x.csv"),
        ((NAME, "submitted", "--times", "course.yml"), "course.yml:1: must have the columns"),
        ((NAME, "submitted", "--as", "canvas"), "has a name as in a download of canvas"),
    ],
)
def test_what_cannot_be_collected_is_told_in_a_sentence(here, args, said):
    assert said in call("collect", *args, status=2).replace("\n", " ")


def test_a_long_class_is_told_by_what_there_is_to_say(here):
    folder = here / "downloaded"
    folder.mkdir()
    for number in range(130):
        (folder / f"s{number:03}.ipynb").write_bytes(b"{}")
    (folder / "odd.pdf").write_bytes(b"%PDF")
    said = call("collect", NAME, folder, "--dry-run", status=1)
    assert "s007" not in said
    assert "odd: no notebook, but odd.pdf" in said
    assert "131 handed in" in said


def handed_in(here, system, files):
    """A download of these, by the names that the system gives, of whatever is in submitted/."""
    text = (here / "submitted" / "ada" / NAME / f"{NAME}.ipynb").read_bytes()
    for each in (here / "submitted").iterdir():
        each.rename(here / f"{each.name}_before")
    folder = here / "downloaded" / system
    for each in files:
        path = folder / each
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
    return folder


def row(said, student):
    return next(line for line in said.splitlines() if f"│ {student} " in line)


def test_a_time_that_was_told_once_is_known_the_next_time(here):
    download = handed_in(here, "folder", ["ada.ipynb"])
    (here / "times.csv").write_text("id,time\nada,2000-01-01T12:20:00Z\n")
    call("collect", NAME, download, "--as", "folder", "--times", "times.csv")
    said = call("collect", NAME, download, "--as", "folder")
    assert "2000-01-01 12:20" in row(said, "ada")
    assert "there already" in row(said, "ada")
    assert "counts as on time" not in said


@pytest.mark.slow
def test_late_is_told_as_it_will_be_graded(here):
    """With the grace, extensions of the file and of the gradebook, and late days."""
    manifest = here / "course.yml"
    text = manifest.read_text().replace("    locate: false\n", f"    locate: false\n{DUE}", 1)
    manifest.write_text(f"late: {{grace_minutes: 30, percent_per_day: 20}}\nlate_days: 1\n{text}")
    (here / "extensions.csv").write_text(f"student,assignment,days\nbob,{NAME},2\n")
    call("grade", NAME, "--jobs", 1)
    with Gradebook(read_settings(here).db_url) as book:
        book.find_submission(NAME, "eve").extension = timedelta(days=3)
        book.db.commit()
    times = "\n".join(f"{who},2000-01-0{day}" for who, day in WHEN.items())
    (here / "times.csv").write_text(f"id,time\n{times}\n")
    download = handed_in(here, "folder", [f"{who}.ipynb" for who in WHEN])

    said = call("collect", NAME, download, "--as", "folder", "--times", "times.csv")

    late = {who: row(said, who).split("│")[4].strip() for who in WHEN}
    assert late == {
        "ada": "",
        "bob": "",
        "carl": "2 days",
        "eve": "",
        "fay": "12 hours, 1 day begun",
    }
    assert "2 late" in said
    call("grade", NAME, "--jobs", 1, "--force")
    with Gradebook(read_settings(here).db_url) as book:
        cost = {x.student.id: x.late_submission_penalty for x in book.assignment_submissions(NAME)}
    assert {who for who, penalty in cost.items() if penalty} == {"carl"}


def test_what_canvas_calls_late_is_told_to_cost_nothing(here):
    download = handed_in(here, "canvas", [f"ada_LATE_11_1_{NAME}.ipynb", f"bob_12_2_{NAME}.ipynb"])
    said = call("collect", NAME, download)
    assert "marked" in row(said, "ada_11")
    assert "marked as late in canvas, which does not say by how much, so" in said
    assert "costs nothing here: ada_11; see --times" in said
    assert "1 late" in said
    (here / "times.csv").write_text("id,time\nada_11,2000-01-01T12:00:00Z\n")
    assert "marked" not in call("collect", NAME, download, "--times", "times.csv")
