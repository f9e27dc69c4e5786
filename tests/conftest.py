"""What grading needs, made once: an exam, a server behind walls, every sample class graded."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path

import pytest
import torch

from autograder.course.manifest import read_course
from autograder.course.result import Result
from autograder.grading import grade, limits_of, prepare
from autograder.grading.classroom import HandedIn, Room, grade_class
from autograder.proof.samples import Sample, read_samples
from autograder.release.scripts import scripts_on_path
from autograder.sandbox import walls
from autograder.sandbox.host import Server

torch.set_num_threads(1)  # small tensors, and as many workers as cores: threads wait for each other
ROOT = Path(__file__).resolve().parents[1]
# Enough for whoever means well, and soon at its end for whoever does not.
LESS = {"wall_seconds": 12, "call_seconds": 2, "memory_mib": 256, "output_bytes": 4 << 20}
# Of a class only a call is cut short: two workers on a busy machine, and layers take their time.
LESS_A_CALL = LESS | {"wall_seconds": 30.0, "call_seconds": 3.0}


@pytest.fixture(scope="session", autouse=True)
def nbgraders_programs():
    """Found though no environment is activated, as `make test` runs them."""
    with scripts_on_path("alembic"):
        yield


@pytest.fixture(scope="session")
def course():
    return read_course(ROOT)


@pytest.fixture(scope="session")
def exam(course):
    return prepare(course, "a1_attention", "for the tests alone")


@pytest.fixture(scope="module")
def server(request, exam):
    """A server behind the wall that the test names, the best there is when it names none."""
    wall = getattr(request, "param", None) or walls.choose()
    if reason := walls.why_not(wall):
        pytest.skip(f"{wall}: {reason}")
    with Server(wall, replace(limits_of(exam.assignment), **LESS)) as found:
        yield found


@pytest.fixture(scope="session")
def samples_of(course):
    """Gives every sample of an assignment by its name."""

    @cache
    def samples_of(assignment_id):
        found = read_samples(course, assignment_id)
        assert len({each.name for each in found}) == len(found)
        return {each.name: each for each in found}

    return samples_of


@pytest.fixture(scope="session")
def samples(samples_of):
    """Every sample of the first assignment by its name."""
    return samples_of("a1_attention")


@dataclass(frozen=True)
class Class:
    """Every sample of an assignment, and what it got."""

    samples: Mapping[str, Sample]
    results: Mapping[str, Result]


@pytest.fixture(scope="session")
def class_of(course, samples_of, tmp_path_factory):
    """Gives the sample class of an assignment, graded once for all tests that look at it.

    Two workers grade it, and whoever means harm sits among the others, who must not notice.
    """
    short = [
        each.model_copy(update={"limits": each.limits.model_copy(update=LESS_A_CALL)})
        for each in course.assignments
    ]
    short_course = course.model_copy(update={"assignments": tuple(short)})

    @cache
    def class_of(assignment_id):
        samples = samples_of(assignment_id)
        folder = tmp_path_factory.mktemp(assignment_id)
        mixed = sorted(samples, key=lambda name: sha256(name.encode()).digest())
        handed_in = [HandedIn(each, samples[each].write(folder).parent) for each in mixed]
        room = Room(
            short_course, assignment_id, folder / "results", walls.choose(), "for the tests alone"
        )
        graded = grade_class(room, handed_in, 2, lambda _: None)
        return Class(samples, {each.student: each for each in graded})

    return class_of


@pytest.fixture
def grade_bytes(tmp_path, exam, server):
    """Grades what somebody hands in."""

    def grade_it(data):
        path = tmp_path / "a1_attention.ipynb"
        path.write_bytes(data)
        return grade("somebody", path, exam, server)

    return grade_it
