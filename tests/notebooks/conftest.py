"""What reads a submission of the first assignment."""

import json

import pytest
from first_notebook import NAME, SOURCE

from autograder.notebooks.submission import read_submission


@pytest.fixture
def read(tmp_path):
    """Reads what a student hands in: a notebook, a text or bytes."""

    def read(given, suffix=".ipynb"):
        path = tmp_path / f"{NAME}{suffix}"
        if isinstance(given, dict):
            given = json.dumps(given)
        path.write_bytes(given.encode() if isinstance(given, str) else given)
        return read_submission(path, SOURCE)

    return read
