"""Where the files of a course lie, below the folder of course.yml."""

from pathlib import Path
from typing import Literal

SOLUTIONS = "solutions"  # all that an instructor writes, a folder an assignment


def assignment_folder(root: Path, assignment_id: str) -> Path:
    """All that there is to an assignment."""
    return root / SOLUTIONS / assignment_id


def source_path(root: Path, assignment_id: str) -> Path:
    """The instructor's source of an assignment."""
    return assignment_folder(root, assignment_id) / f"{assignment_id}.py"


def handed_out_path(root: Path, assignment_id: str, name: str) -> Path:
    """A file that students get along: the assignment's own, or else one that several share."""
    own = assignment_folder(root, assignment_id) / name
    shared = root / SOLUTIONS / name
    return shared if shared.is_file() and not own.is_file() else own


def samples_folder(
    root: Path, assignment_id: str, kind: Literal["right", "wrong", "hostile"]
) -> Path:
    """The samples of an assignment of which it is known what they must get."""
    return assignment_folder(root, assignment_id) / kind


def state_folder(results: Path, assignment_id: str) -> Path:
    """What is kept of an assignment's runs from one to the next, beside its result files."""
    return results / f".{assignment_id}"
