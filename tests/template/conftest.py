"""A course of one tiny assignment, as `autograder new` makes it."""

import pytest

from autograder.course import read_course
from autograder.template import plan


@pytest.fixture
def root(tmp_path):
    """An empty folder, where a course may start."""
    root = tmp_path / "shapes_and_numbers"
    root.mkdir()
    return root


@pytest.fixture
def tiny(root):
    """Its course, with the assignment `squares`."""
    plan(root, "squares").write()
    return read_course(root)
