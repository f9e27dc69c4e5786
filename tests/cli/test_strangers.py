"""What strangers put among the submissions costs nobody else a grade, where no option is given."""

import json
import os

from typer.testing import CliRunner

from autograder.cli import app
from autograder.sandbox.emptied import empty

NAME = "squares"


def test_what_a_person_would_sort_out_waits_and_all_others_are_graded(here):
    submitted = here / "submitted"
    (submitted / "zoe").mkdir()
    (submitted / "zoe" / f"{NAME}.zip").write_bytes(b"PK")
    (submitted / "mal").symlink_to(submitted / "ada")
    (submitted / "kim").mkdir()
    (submitted / "kim" / NAME).symlink_to(here / "solutions" / NAME)
    (submitted / ("x" * 250) / NAME).mkdir(parents=True)
    done = CliRunner().invoke(app, ["grade", NAME, "--jobs", "1"])
    assert done.exit_code == 1, (done.output, done.exception)
    results = [json.loads(path.read_text()) for path in (here / "results" / NAME).iterdir()]
    scores = {each["student"][:3]: each["score"] for each in results}
    assert {name for name, score in scores.items() if score is None} == {"kim", "mal", "xxx", "zoe"}
    assert scores["ada"] > scores["eve"] == 0


def test_what_is_called_as_our_files_are_or_lies_too_deep_costs_nobody_a_grade(here):
    """Nothing of it is copied to where staff look at it."""
    ada = here / "submitted" / "ada" / NAME
    (ada / "timestamp.txt").unlink()
    (ada / "timestamp.txt").mkdir()
    (ada / "timestamp.txt" / "words.txt").write_text("x")
    (ada / "kept").mkdir()
    (ada / "kept" / "words.txt").write_text("x")
    (ada / "a\x1bb").mkdir()
    (ada / "a\x1bb" / "words.txt").write_text("x")
    folder = os.open(ada, os.O_RDONLY)
    for _ in range(980):
        os.mkdir("d", dir_fd=folder)
        inner = os.open("d", os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(os.open("words.txt", os.O_CREAT | os.O_WRONLY, dir_fd=folder))
    os.close(folder)
    done = CliRunner().invoke(app, ["grade", NAME, "--jobs", "1"])
    assert done.exit_code == 1, (done.output, done.exception)  # for the time, which is none
    found = {path.name for path in (here / "autograded" / "ada" / NAME).iterdir()}
    assert "kept" in found
    assert found.isdisjoint({"timestamp.txt", "d", "a\x1bb"})
    empty(str(ada))
