"""The reference of an assignment as a namespace, for the tests that hold it against torch."""

from pathlib import Path
from types import SimpleNamespace

from autograder.grading import source_path
from autograder.notebook import modules_for
from autograder.source import read_source
from autograder.student import LocalStudent

ROOT = Path(__file__).resolve().parents[1]


def load_reference(name: str) -> SimpleNamespace:
    """Run what is given and the solutions of `name`; returns all names that they define."""
    source = read_source(source_path(ROOT, name))
    return SimpleNamespace(**LocalStudent(source.reference, modules_for(source)).names)
