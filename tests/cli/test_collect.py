"""`autograder collect`: from a download to a grade, and what is told on the way."""

import json
import zipfile

import pytest
from typer.testing import CliRunner

from autograder.cli import app

NAME = "squares"


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
    assert "bob: not taken: ../../../evil.py has a path that leads elsewhere" in said
    assert "unknown: Mal" in said
    assert (
        "3 handed in, 1 missing, 0 late, 0 more than once, 1 unknown, 2 for a person to look at"
        in said
    )
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
