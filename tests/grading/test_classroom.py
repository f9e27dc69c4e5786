"""A class: every submission graded, a dying worker costs nobody else anything."""

import multiprocessing
import os
import shutil
import signal
import tempfile
from pathlib import Path

import pytest

from autograder.course.manifest import read_course
from autograder.course.result import Result, Verdict
from autograder.grading import classroom
from autograder.grading.classroom import HandedIn, Room, find_class, grade_class
from autograder.sandbox import walls

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


def test_an_empty_folder_is_the_students_mistake(room, submitted):
    (submitted / "kim" / NAME).mkdir(parents=True)
    (result,) = grade_class(room, [HandedIn("kim", submitted / "kim" / NAME)], 1, lambda _: None)
    assert result.score == 0.0
    assert {item.verdict for item in result.items} == {Verdict.ERROR}
    assert "there is no a1_attention.ipynb" in result.items[0].message


def test_a_worker_that_dies_costs_only_its_submission(room, submitted, monkeypatch):
    honest = classroom.grade

    def grade(student, *rest):
        if student == "bob":
            os.kill(os.getpid(), signal.SIGKILL)
        return honest(student, *rest)

    monkeypatch.setattr(classroom, "grade", grade)
    results = grade_class(room, find_class(submitted, NAME), 2, lambda _: None)
    by_student = {result.student: result for result in results}
    assert by_student["ada"].score == 22.0
    assert by_student["eve"].score == 0.0
    assert by_student["bob"].score is None
    assert by_student["bob"].needs_staff
    assert {item.verdict for item in by_student["bob"].items} == {Verdict.INTERNAL}
    assert Result.read(room.result_path("bob")).score is None


def test_a_worker_that_dies_once_is_forgiven(room, submitted, monkeypatch, tmp_path):
    honest = classroom.grade

    def grade(student, *rest):
        if student == "bob" and not (tmp_path / "died").exists():
            (tmp_path / "died").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return honest(student, *rest)

    monkeypatch.setattr(classroom, "grade", grade)
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
