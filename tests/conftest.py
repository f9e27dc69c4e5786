"""What grading needs, made once a module: an exam, and a server behind walls."""

from dataclasses import replace
from pathlib import Path

import pytest

from autograder.course import read_course
from autograder.grading import grade, limits_of, prepare
from autograder.sample import read_samples
from autograder.sandbox import walls
from autograder.sandbox.host import Server
from autograder.scripts import scripts_on_path

ROOT = Path(__file__).resolve().parents[1]
# Enough for whoever means well, and soon at its end for whoever does not.
LESS = {"wall_seconds": 12, "call_seconds": 2, "memory_mib": 256, "output_bytes": 4 << 20}


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
def samples(course):
    """Every sample by its name."""
    found = read_samples(course, "a1_attention")
    assert len({each.name for each in found}) == len(found)
    return {each.name: each for each in found}


@pytest.fixture
def grade_bytes(tmp_path, exam, server):
    """Grades what somebody hands in."""

    def grade_it(data):
        path = tmp_path / "a1_attention.ipynb"
        path.write_bytes(data)
        return grade("somebody", path, exam, server)

    return grade_it
