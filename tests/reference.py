"""The reference of an assignment as a namespace, for the tests that hold it against torch."""

from pathlib import Path
from types import ModuleType, SimpleNamespace

from autograder.asking.student import LocalStudent
from autograder.checking import load
from autograder.course import source_path
from autograder.notebooks.source import read_source
from autograder.notebooks.submission import modules_for

ROOT = Path(__file__).resolve().parents[1]


def load_shared(name: str) -> ModuleType:
    """The course's own Python of this name, such as `given` or `a6_translation.number_words`."""
    return load(ROOT / "solutions", name)


def load_reference(name: str) -> SimpleNamespace:
    """Run what is given and the solutions of `name`; returns all names that they define."""
    source = read_source(source_path(ROOT, name))
    return SimpleNamespace(**LocalStudent(source.reference, modules_for(source)).names)
