"""A course about something else, written with `autograder new` and the documents alone.

The engine is this repository's, unchanged: whatever of it were bent to its own course, shows here.
"""

import shutil
import zlib
from pathlib import Path

import nbformat
import pytest

from autograder.course import read_course, source_path
from autograder.course.result import Verdict
from autograder.export.publish import publish
from autograder.export.settings import read_settings
from autograder.grading import grade_class, limits_of, prepare
from autograder.grading.classroom import HandedIn, Room
from autograder.notebooks import read_source
from autograder.proof import grade_samples, margins, open_pool, prove, read_samples
from autograder.proof.mutants import mutants
from autograder.proof.pool import SECRET
from autograder.release import build
from autograder.sandbox import walls
from autograder.sandbox.host import Server

COURSE = read_course(Path(__file__).resolve().parents[1] / "another_course")
NAMES = [each.id for each in COURSE.assignments]
each_assignment = pytest.mark.parametrize("name", NAMES)


def nobody(done, of):
    """Hears nothing."""


@pytest.fixture(scope="module")
def pool():
    with open_pool(COURSE, walls.choose(), 1) as pool:
        yield pool


@each_assignment
def test_it_is_released_and_gives_nothing_away(name):
    built = build(COURSE, name)  # scanned for leaks
    assert build(COURSE, name).files == built.files
    notebook = nbformat.reads(built.files[f"{name}.ipynb"].decode(), as_version=4)
    assert "SOLUTION" not in "".join(cell.source for cell in notebook.cells)
    assert ("given.py" in built.files) == (name == "patterns")
    assert ("pulse.csv" in built.files) == (name == "patterns")


@each_assignment
def test_samples_get_what_they_must(name):
    samples = read_samples(COURSE, name)
    assert {each.kind for each in samples} == {"right", "wrong", "stub", "hostile"}
    results = grade_samples(COURSE, name, samples, walls.choose(), 1, nobody)
    told = {each.name: each.misjudged(results[each.name]) for each in samples}
    assert not any(told.values()), told


@each_assignment
def test_every_fault_is_caught_and_named(name, pool):
    proof = prove(COURSE, name, pool, nobody, lambda faults: len(faults) == 1)
    assert proof.problems == []
    assert len(proof.singles) >= 10


@each_assignment
def test_mutants_lose_an_item_or_are_equivalent_for_a_reason(name, pool):
    every = mutants(read_source(source_path(COURSE.root, name)))
    chosen = [each for each in every if zlib.crc32(each.description.encode()) % 6 == 0]
    tried = pool.try_mutants(name, chosen, nobody)
    assert len(tried) >= 10
    assert [each.problem for each in tried if each.problem] == []


def test_a_class_is_graded_and_told(tmp_path):
    """From the files to the gradebook and the pages; an item is carried, at half its points."""
    shutil.copytree(COURSE.root, tmp_path / "course")
    course = read_course(tmp_path / "course")
    name = "patterns"
    build(course, name).write(course.root / "assignments" / name)
    samples = {each.name: each for each in read_samples(course, name)}
    class_ = [
        HandedIn(each.name, each.write(course.root / "submitted").parent)
        for each in samples.values()
    ]
    room = Room(course, name, course.root / "results", walls.choose(), SECRET)
    graded = grade_class(room, class_, 2, lambda _: None)
    folders = {each.student: each.path for each in class_}
    settings = read_settings(course.root)
    of = course.assignment(name)
    assert publish(course, of, course.root / "results", folders, settings).new == len(class_)
    carried = [item for each in graded for item in each.items if item.verdict is Verdict.CARRIED]
    assert carried
    assert all(item.score == item.points / 2 for item in carried)
    named = {fault for each in graded for item in each.items for fault in item.faults}
    assert named
    for each in graded:
        page = course.root / "feedback" / each.student / name / f"{name}.html"
        assert course.assignment(name).title in page.read_text()


def test_its_tolerances_are_far_from_right_and_wrong_code():

    exam = prepare(COURSE, "convolution", SECRET)
    with Server(walls.choose(), limits_of(exam.assignment)) as server:
        assert all(
            each.holds for each in margins(exam, read_samples(COURSE, exam.assignment.id), server)
        )
