"""Grading again: what is kept, what moves, and who is at it already."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace

import pytest
from nbgrader.api import Gradebook
from typer.testing import CliRunner

from autograder.cli import app
from autograder.course import Result, read_course, read_secret
from autograder.export import read_settings
from autograder.grading import HandedIn, Room, find_class, held, settle, to_grade
from autograder.sandbox import walls

NAME = "squares"


def grade(*args, status=0, **more):
    done = CliRunner().invoke(app, ["grade", NAME, "--jobs", "1", *args], **more)
    assert done.exit_code == status, (done.output, done.exception)
    return done.output


def lies(here):
    """All files of the course, and when they were written."""
    paths = [path for path in here.rglob("*") if path.is_file() and path.name != "lock"]
    return {str(path.relative_to(here)): path.stat().st_mtime_ns for path in paths}


def scores(here):
    with Gradebook(read_settings(here).db_url) as book:
        return {each.student.id: each.score for each in book.assignment_submissions(NAME)}


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_what_has_not_changed_is_kept_down_to_its_pages(here):
    assert "3 graded" in grade()
    before = lies(here)
    said = grade()
    assert "3 kept, 0 graded" in said
    assert f"the kept ones: results/{NAME}.html" in said
    assert not any(who in said for who in ("ada", "bob", "eve"))
    assert lies(here) == before

    page = here / "results" / "index.html"
    text = page.read_bytes()
    page.unlink()  # as a run leaves it that is killed at its very end
    grade()
    assert page.read_bytes() == text

    bob = here / "submitted" / "bob" / NAME / f"{NAME}.ipynb"
    bob.write_bytes((here / "submitted" / "ada" / NAME / f"{NAME}.ipynb").read_bytes())
    said = grade()  # no question: he handed in anew
    assert "2 kept, 1 graded" in said
    assert "(3 recorded, 1 written now)" in said
    assert "bob" in said
    assert "ada" not in said
    assert scores(here)["bob"] == scores(here)["ada"]
    changed = {path for path, time in lies(here).items() if before.get(path) != time}
    assert all("/ada/" not in path and "/eve/" not in path for path in changed)
    assert f"feedback/bob/{NAME}/{NAME}.html" in changed
    assert f"results/{NAME}.html" in changed

    assert "0 kept" not in (said := grade("--force"))
    assert "3 graded" in said
    assert "(3 recorded)" in said


def test_a_broken_run_is_gone_on_with(here):
    grade()
    (here / "results" / NAME / "ada.json").unlink()
    (here / "results" / NAME / "eve.json").write_text("{half of i")
    (here / "gradebook.db").unlink()
    (here / "feedback" / "bob" / NAME / f"{NAME}.html").unlink()
    drafts = [here / "feedback" / "bob" / NAME / f".{NAME}.html.abc.draft"]
    drafts += [here / "results" / f".{NAME}.html.abc.draft"]
    for each in drafts:
        each.write_text("<p>half of")
    said = grade()
    assert "1 kept, 2 graded" in said
    assert "(3 recorded)" in said
    assert (here / "feedback" / "bob" / NAME / f"{NAME}.html").exists()
    assert not any(each.exists() for each in drafts)
    assert len(scores(here)) == 3


def test_what_is_made_of_scores_is_made_again_and_nothing_is_graded(here):
    grade()
    rubric = "report: {title: The report, points: 5, rubric: [{points: -1, text: No figure}]}"
    edit(here / "course.yml", "report: {title: The report, points: 3}", rubric)
    policies = "late: {percent_per_day: 10}\n    weight: 2\n    answers: with_feedback\n"
    policies += "    feedback: verdict\n    extra: true\n    diagnose_in_notebook: true\n"
    policies += "    at_once: {full_a_day: 2}\n"
    edit(here / "course.yml", "    locate: false\n", f"    locate: false\n    {policies}")
    assert "3 kept, 0 graded" in grade()
    assert "No figure" in (here / "autograded" / "bob" / NAME / f"{NAME}.ipynb").read_text()
    with Gradebook(read_settings(here).db_url) as book:
        assert book.find_submission(NAME, "bob").max_written_score == 5


def test_some_by_name_and_by_pattern(here):
    assert "2 graded" in grade("--student", "a*", "--student", "?ve")
    assert {path.stem for path in (here / "results" / NAME).glob("*.json")} == {"ada", "eve"}
    assert "z* did not hand in" in grade("--student", "z*", status=2)


def test_points_by_hand_show_though_nothing_is_graded(here):
    grade()
    with Gradebook(read_settings(here).db_url) as book:
        book.find_grade("report", NAME, NAME, "ada").manual_score = 2.5
        book.db.commit()
    before = lies(here)
    said = grade()
    assert "3 kept, 0 graded" in said
    assert "(3 recorded, 1 written now)" in said
    page = here / "feedback" / "ada" / NAME / f"{NAME}.html"
    assert "2.5" in page.read_text()
    assert (
        lies(here)[f"feedback/eve/{NAME}/{NAME}.html"] == before[f"feedback/eve/{NAME}/{NAME}.html"]
    )


CHANGES = {
    "the submission": lambda here: edit(here / f"submitted/ada/{NAME}/{NAME}.ipynb", "I ", "We "),
    "beside it": lambda here: (here / f"submitted/ada/{NAME}/data.csv").write_text("1"),
    "a check": lambda here: edit(here / f"solutions/{NAME}/checks.py", "Draw", "Draw "),
    "a fault": lambda here: (here / f"solutions/{NAME}/faults/new.py").write_text(""),
    "a shared file": lambda here: (here / "solutions" / "given.py").write_text(""),
    "course.yml": lambda here: edit(here / "course.yml", "points: 2", "points: 4"),
    "the result": lambda here: edit(here / f"results/{NAME}/ada.json", '"ada"', '"bob"'),
}
NO_CHANGES = {
    "nothing": lambda here: None,
    "the time of hand-in": lambda here: (here / f"submitted/ada/{NAME}/timestamp.txt").write_text(
        "2000-01-02 12:00:00 UTC"
    ),
    "a sample": lambda here: (here / f"solutions/{NAME}/wrong/new.py").write_text("# new"),
}


@pytest.fixture(scope="module")
def graded(released, tmp_path_factory):
    """That course, with a result of ada's alone."""
    root = tmp_path_factory.mktemp("graded") / "course"
    subprocess.run(["cp", "-r", released, root], check=True)
    done = CliRunner().invoke(
        app, ["grade", NAME, "--student", "ada", "--course", str(root), "--jobs", "1", "--dry-run"]
    )
    assert done.exit_code == 0, done.output
    return root


def room_of(root):
    course = read_course(root)
    return Room(course, NAME, root / "results", walls.choose(), read_secret(root))


@pytest.mark.parametrize("what", [*CHANGES, *NO_CHANGES])
def test_what_a_result_came_from(graded, tmp_path, what):
    root = tmp_path / "course"
    subprocess.run(["cp", "-r", graded, root], check=True)
    (CHANGES | NO_CHANGES)[what](root)
    ada = HandedIn("ada", root / "submitted" / "ada" / NAME)
    assert bool(to_grade(room_of(root), [ada])) == (what in CHANGES)


@pytest.mark.parametrize("field", ["wall", "secret", "engine", "libraries"])
def test_it_is_graded_again_elsewhere(graded, field):
    room = room_of(graded)
    ada = HandedIn("ada", graded / "submitted" / "ada" / NAME)
    if field in ("wall", "secret"):
        room = replace(room, **{field: "another one, of some length"})
    else:
        room.origin.parts[field] = "another"
    assert to_grade(room, [ada]) == [ada]
    assert "another one, of some length" not in str(room.origin) or field == "wall"


def test_without_a_score_it_is_always_tried_again(graded, tmp_path):
    root = tmp_path / "course"
    subprocess.run(["cp", "-r", graded, root], check=True)
    room = room_of(root)
    path = room.result_path("ada")
    Result.read(path).model_copy(update={"score": None}).write(path)
    assert [each.student for each in to_grade(room, find_class(root / "submitted", NAME))] == [
        *("ada", "bob", "eve")
    ]


def test_grades_that_move_are_shown_and_not_recorded_unasked(here):
    grade()
    with Gradebook(read_settings(here).db_url) as book:
        book.find_grade("report", NAME, NAME, "ada").manual_score = 2.5
        book.db.commit()
    grade()
    before, written = scores(here), lies(here)
    edit(here / "course.yml", "points: 2", "points: 4")

    for told in ("pages", "export"):  # old scores would stand beside new points
        refused = CliRunner().invoke(app, [told, NAME])
        assert refused.exit_code == 2
        assert "the results of ada and 2 more are from before" in " ".join(refused.output.split())
    said = grade(status=1)
    # also of who has lost it: it is another share of the whole
    assert "3 scores of the checks move" in said
    (row,) = (line for line in said.splitlines() if "ada" in line and "distances" in line)
    assert "2 of 2" in row
    assert "4 of 4" in row
    assert "Nothing is recorded" in said
    for told in ("pages", "export"):
        refused = CliRunner().invoke(app, [told, NAME])
        assert refused.exit_code == 2
        assert "3 results of squares would move points of items" in refused.output
    said = grade("--dry-run", status=1)
    assert "3 kept, 0 graded" in said
    assert "the kept ones" not in said  # their page says what they had
    assert said.endswith("nothing was recorded: this was --dry-run\n")
    assert "distances" in said
    assert scores(here) == before
    same = {path: lies(here)[path] for path in written if path.startswith(("feedback", "auto"))}
    assert same.items() <= written.items()
    assert json.loads((here / "results" / NAME / "ada.json").read_text())["score"] == 2

    said = grade("--yes")
    assert "3 kept, 0 graded" in said
    assert scores(here) == before | {"ada": before["ada"] + 2}
    assert json.loads((here / "results" / NAME / "ada.json").read_text())["score"] == 4
    assert "move" not in grade()


def test_what_moves_back_is_forgotten(here):
    grade()
    edit(here / "course.yml", "points: 2", "points: 4")
    grade(status=1)
    edit(here / "course.yml", "points: 4", "points: 2")
    said = grade()
    assert "3 kept" in said
    assert "move" not in said


def test_at_a_terminal_it_is_asked(here, monkeypatch):
    grade()
    edit(here / "course.yml", "points: 2", "points: 4")
    monkeypatch.setattr("autograder.cli.running._is_a_terminal", lambda: True)
    assert "the next run asks again" in grade(status=1, input="n\n")
    assert scores(here)["ada"] == 2
    grade(input="y\n")
    assert scores(here)["ada"] == 4


HOLD = """
import sys, time
from pathlib import Path
from autograder.grading import held
with held(Path("results"), "squares"):
    print("held", flush=True)
    time.sleep(600)
"""


def test_two_graders_on_one_class(here):
    grade("--student", "ada")
    other = subprocess.Popen([sys.executable, "-c", HOLD], stdout=subprocess.PIPE, text=True)
    try:
        assert other.stdout.readline() == "held\n"
        said = grade(status=3)
        assert f"process {other.pid} on " in said
        assert " since 20" in said
        assert "run it again when that is done" in said
        done = CliRunner().invoke(app, ["pages", NAME])
        assert done.exit_code == 3
    finally:
        other.send_signal(signal.SIGKILL)
        other.communicate()
    assert "1 kept, 2 graded" in grade()


def test_a_lock_that_nobody_holds_blocks_nobody(tmp_path):
    (tmp_path / f".{NAME}").mkdir()
    (tmp_path / f".{NAME}" / "lock").write_text("process 1 on another since 2001")
    (tmp_path / NAME).mkdir()
    draft = tmp_path / NAME / ".ada.json.abc.draft"
    draft.write_text("{")
    with held(tmp_path, NAME):
        assert str(os.getpid()) in (tmp_path / f".{NAME}" / "lock").read_text()
        assert not draft.exists()


def test_a_new_hand_in_asks_nobody(here):
    """It is the student who moves this grade."""
    grade("--student", "ada")
    room = room_of(here)
    result = Result.read(room.result_path("ada"))
    items = [each.model_copy(update={"score": 0.0}) for each in result.items]
    came_from = result.came_from | {"submission": "another"}
    settle(room, result.model_copy(update={"items": tuple(items), "came_from": came_from}))
    assert Result.read(room.result_path("ada")).items[0].score == 0
    settle(room, result.model_copy(update={"came_from": came_from}))
    assert Result.read(room.result_path("ada")).items[0].score == 0  # it waits
