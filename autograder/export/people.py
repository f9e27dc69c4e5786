"""Who is in a class: from the roster, and where there is none, from what was handed in."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from autograder.course import read_roster

__all__ = ["Who", "everybody", "people_of"]


@dataclass(frozen=True)
class Who:
    """A student, as a page for staff names them."""

    student: str
    name: str  # the id again, where nothing else is known
    section: str = ""
    email: str = ""
    listed: bool | None = True  # on the roster; None: there is none

    @property
    def unknown(self) -> bool:
        """Whether there is a roster, and it does not have them."""
        return self.listed is False


def everybody(root: Path, students: Iterable[str]) -> dict[str, Who]:
    """Everybody of the course in `root`, by id: who is on its roster, and who has a result.

    Raises RosterError.
    """
    roster = read_roster(root).people
    listed = {
        each.id: Who(each.id, each.name, each.section, each.email) for each in roster.values()
    }
    unlisted = False if roster else None
    others = {student: Who(student, student, listed=unlisted) for student in students}
    return dict(sorted((others | listed).items()))


def people_of(folder: Path, assignment_id: str) -> list[str]:
    """Who has a result of an assignment in `folder`."""
    return sorted(path.stem for path in (folder / assignment_id).glob("*.json"))
