"""What grading needs, made once a module: an exam, and a server behind walls."""

from dataclasses import replace
from pathlib import Path

import pytest

from autograder.course import read_course
from autograder.grading import limits_of, prepare
from autograder.sandbox import walls
from autograder.sandbox.host import Server

ROOT = Path(__file__).resolve().parents[1]
# Enough for whoever means well, and soon at its end for whoever does not.
LESS = {"wall_seconds": 6, "call_seconds": 1, "memory_mib": 256, "output_bytes": 4 << 20}


@pytest.fixture(scope="session")
def course():
    return read_course(ROOT)


@pytest.fixture(scope="session")
def exam(course):
    return prepare(course, "a1_attention", "for the tests alone")


@pytest.fixture(scope="module")
def server(request, exam):
    """A server behind the wall that the test names, sandlock's when it names none."""
    wall = getattr(request, "param", "sandlock")
    if reason := walls.why_not(wall):
        pytest.skip(f"{wall}: {reason}")
    with Server(wall, replace(limits_of(exam.assignment), **LESS)) as found:
        yield found
