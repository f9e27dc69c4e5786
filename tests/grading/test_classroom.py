"""A class: every submission graded, a dying worker costs nobody else anything."""

import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from rights import closed

from autograder.course.manifest import read_course
from autograder.course.result import Result, Verdict
from autograder.grading import limits_of, origin, submission
from autograder.grading.classroom import HandedIn, Room, find_class, grade_class
from autograder.sandbox import walls
from autograder.sandbox.folder import Folder, sweep
from autograder.sandbox.host import Server

ROOT = Path(__file__).resolve().parents[2]
NAME = "a1_attention"


@pytest.fixture
def room(tmp_path):
    return Room(read_course(ROOT), NAME, tmp_path / "results", walls.choose(), "s" * 20)


@pytest.fixture
def submitted(tmp_path):
    folder = tmp_path / "submitted"
    for student in ("ada", "bob", "eve"):
        path = folder / student / NAME
        path.mkdir(parents=True)
        shutil.copy(ROOT / "solutions" / NAME / f"{NAME}.py", path)
    (folder / "eve" / NAME / f"{NAME}.py").write_text("# %%\n1 / 0\n")
    (folder / "zoe").mkdir()  # handed in nothing
    return folder


def test_a_class_is_graded_and_written(room, submitted):
    class_ = find_class(submitted, NAME)
    assert [each.student for each in class_] == ["ada", "bob", "eve"]
    told = []
    results = grade_class(room, class_, 2, told.append)
    assert [result.student for result in results] == ["ada", "bob", "eve"]
    assert [result.score for result in results] == [22.0, 22.0, 0.0]
    assert sorted(result.student for result in told) == ["ada", "bob", "eve"]
    for result in results:
        assert Result.read(room.result_path(result.student)) == result
    again = grade_class(room, class_, 1, told.append)
    assert [(r.items, r.score) for r in again] == [(r.items, r.score) for r in results]


def hand_in(submitted, student, name=f"{NAME}.ipynb", text=""):
    path = submitted / student / NAME / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_whatever_is_handed_in_waits_alone(room, submitted):
    """Links, closed folders, odd names, zips: each waits for staff, and nobody else does."""
    solutions = ROOT / "solutions"
    (submitted / "links_to_the_solutions").symlink_to(solutions)
    (submitted / "links_to_ada").symlink_to(submitted / "ada")
    (submitted / "links_one_folder").mkdir()
    (submitted / "links_one_folder" / NAME).symlink_to(solutions / NAME)
    hand_in(submitted, "links_the_notebook").unlink()
    (submitted / "links_the_notebook" / NAME / f"{NAME}.py").symlink_to(
        submitted / "ada" / NAME / f"{NAME}.py"
    )
    hand_in(submitted, "x" * 250)
    hand_in(submitted, os.fsdecode(b"not utf-8 \xff"))
    hand_in(submitted, "\x1b[31m<b>red")
    hand_in(submitted, "empty")
    hand_in(submitted, "zipped", f"{NAME}.zip")
    hand_in(submitted, "too_deep", f"{NAME}/{NAME}.ipynb")
    hand_in(submitted, "two", "one.ipynb"), hand_in(submitted, "two", "other.ipynb")
    (submitted / "nothing" / NAME).mkdir(parents=True)
    stub = (ROOT / "assignments" / NAME / f"{NAME}.ipynb").read_text()
    hand_in(submitted, "the_wrong_one", text=stub)
    hand_in(submitted, "the_wrong_one", f"{NAME} (1).ipynb", stub)
    hand_in(submitted, "untouched", text=stub)
    shut = hand_in(submitted, "shut", text=stub).parents[1]
    with closed(shut):
        class_ = find_class(submitted, NAME)
        results = grade_class(room, class_, 1, lambda _: None)
    assert len(results) == len(class_) == 18
    scores = {each.student: each.score for each in results if each.score is not None}
    assert scores == {"ada": 22.0, "bob": 22.0, "eve": 0.0, "untouched": 0.0}
    for each in results:
        assert each.student.isprintable()
        assert Result.read(room.result_path(each.student)) == each
        if each.score is None:
            assert {item.verdict for item in each.items} == {Verdict.UNREADABLE}
            assert each.unreadable
    by_student = {each.student: each.unreadable for each in results}
    assert "Permission denied" in by_student["shut"]
    assert f"{NAME} (1).ipynb" in by_student["the_wrong_one"]


def test_a_file_beside_that_is_a_link_is_not_read(room, submitted, tmp_path):
    handed_in = room.course.assignment("a6_translation").handed_in[0]
    folder = submitted / "eve" / "a6_translation"
    shutil.copytree(ROOT / "assignments" / folder.name, folder)
    (folder / handed_in).symlink_to(ROOT / "solutions" / folder.name / handed_in)
    a6 = replace(room, assignment_id=folder.name)
    (result,) = grade_class(a6, [HandedIn("eve", folder)], 1, lambda _: None)
    assert result.score is None
    assert f"{handed_in} is a link" in result.unreadable


def test_a_worker_that_dies_costs_only_its_submission(room, submitted, monkeypatch):
    honest = origin.grade

    def grade(student, *rest):
        if student == "bob":
            os.kill(os.getpid(), signal.SIGKILL)
        return honest(student, *rest)

    monkeypatch.setattr(origin, "grade", grade)
    results = grade_class(room, find_class(submitted, NAME), 2, lambda _: None)
    by_student = {result.student: result for result in results}
    assert by_student["ada"].score == 22.0
    assert by_student["eve"].score == 0.0
    assert by_student["bob"].score is None
    assert by_student["bob"].needs_staff
    assert {item.verdict for item in by_student["bob"].items} == {Verdict.INTERNAL}
    assert Result.read(room.result_path("bob")).score is None


def test_a_worker_that_dies_once_is_forgiven(room, submitted, monkeypatch, tmp_path):
    honest = origin.grade

    def grade(student, *rest):
        if student == "bob" and not (tmp_path / "died").exists():
            (tmp_path / "died").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return honest(student, *rest)

    monkeypatch.setattr(origin, "grade", grade)
    results = grade_class(room, find_class(submitted, NAME), 1, lambda _: None)
    assert [result.score for result in results] == [22.0, 22.0, 0.0]


def test_a_fault_of_ours_is_never_a_zero(room, submitted, monkeypatch):
    from autograder.grading import submission as grading

    def broken(*_):
        raise RuntimeError("the disk is on fire")

    monkeypatch.setattr(grading, "read_submission", broken)
    (result,) = grade_class(room, find_class(submitted, NAME)[:1], 1, lambda _: None)
    assert result.score is None
    assert "the disk is on fire" in result.items[0].message


def test_workers_leave_no_process_and_no_folder(room, submitted, monkeypatch, tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    grade_class(room, find_class(submitted, NAME), 2, lambda _: None)
    assert multiprocessing.active_children() == []
    assert list(temporary.glob("autograder-*")) == []


@pytest.mark.parametrize("deaths", [1, 2])
def test_a_server_that_dies_is_asked_again_of_a_new_one(exam, tmp_path, monkeypatch, deaths):
    """Only what kills two of them is told of it, and nobody after it."""
    honest, died = submission._ask, []
    with Server(walls.choose(), limits_of(exam.assignment)) as server:

        def ask(*args):
            if len(died) < deaths:
                died.append(server._folder)
                server._process.kill()
            return honest(*args)

        monkeypatch.setattr(submission, "_ask", ask)
        path = tmp_path / f"{NAME}.py"
        shutil.copy(ROOT / "solutions" / NAME / path.name, path)
        first, second = (submission.grade("ada", path, exam, server) for _ in range(2))
    assert first.score == (22.0 if deaths == 1 else None)
    assert second.score == 22.0
    if first.score is None:
        assert {item.verdict for item in first.items} == {Verdict.INTERNAL}
    assert not any(folder.exists() for folder in died)


def test_the_folder_of_somebody_who_died_is_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    code = "import os; from autograder.sandbox.folder import Folder; Folder(); os._exit(0)"
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    (left,) = tmp_path.iterdir()
    half = tmp_path / f"{left.name}half_removed"
    half.mkdir()
    others = tmp_path / "autograder-release-1"
    others.mkdir()
    held = Folder()
    assert not left.exists()
    assert not half.exists()
    assert others.exists()
    sweep()
    assert held.path.exists()
    held.remove()
    assert not held.path.exists()


def test_a_folder_of_any_depth_is_removed_with_what_is_closed_in_it(tmp_path, monkeypatch):
    """Deeper than Python may recurse, as a server that was ended may leave it."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    held = Folder()
    here = os.open(held.path, os.O_RDONLY)
    monkeypatch.chdir(held.path)
    os.mkdir("scratch")
    os.chdir("scratch")
    for _ in range(1_500):
        os.mkdir("d")
        os.chdir("d")
    os.fchdir(here)
    os.close(here)
    os.chmod("scratch/d", 0o300)
    held.remove()
    assert not held.path.exists()
