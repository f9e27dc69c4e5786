"""A right submission, for nbgrader's programs."""

import pytest
from nbgrader_course import NAME, ROOT

from autograder.proof.samples import answered


@pytest.fixture(scope="session")
def right(course):
    """The students' notebook, answered as the reference does."""
    return lambda: answered(
        course, NAME, (ROOT / "assignments" / NAME / f"{NAME}.ipynb").read_bytes()
    )
