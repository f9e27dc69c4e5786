"""A system's own export, filled in: its columns and rows are right, and it tells who is missing."""

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.export.formats.marks import About, Learner

__all__ = ["Filled", "Names", "NotThatSheet", "Sheet", "read_sheet", "same_points", "students_of"]

# What a system calls a student, by the heading of its column; an empty text is nobody's.
Names = Mapping[str, Callable[[Learner], Iterable[str]]]


class NotThatSheet(Exception):
    """The file is not what can be filled in; the message says why, and what to do."""


@dataclass(frozen=True)
class Filled:
    """What is in the file then; and by name, who of it is not here, and who of us is not there.

    left_out: of the assignments that are not in it, why, a sentence each.
    """

    content: str | bytes
    not_here: tuple[str, ...]
    not_there: tuple[str, ...]
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Sheet:
    """A file of rows under a header."""

    path: Path
    delimiter: str
    header: list[str]
    rows: list[list[str]]

    def column(self, name: str) -> int | None:
        """Where the column of this name is, if there is one."""
        there = [each.strip().casefold() for each in self.header]
        return there.index(name.casefold()) if name.casefold() in there else None


def read_sheet(path: Path) -> Sheet:
    """Read comma-separated text, or what Excel and Canvas make of it. Raises NotThatSheet."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotThatSheet(f'{path} is not UTF-8: save it again as "CSV UTF-8"') from error
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    try:
        read = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        header, *rows = [row for row in read if any(row)] or [[]]
    except csv.Error as error:
        raise NotThatSheet(f"{path} cannot be read as CSV: {error}") from error
    if wrong := [row for row in rows if len(row) != len(header)]:
        raise NotThatSheet(
            f"{path}: the row {delimiter.join(wrong[0])[:60]!r} has {len(wrong[0])} cells, and the "
            f"header has {len(header)}"
        )
    return Sheet(path, delimiter, header, rows)


def students_of(sheet: Sheet, students: Sequence[Learner], names: Names) -> list[Learner | None]:
    """Whom each row is about; None where no column of it names one of ours, or two name two.

    Raises NotThatSheet for a student with two rows.
    """
    columns = [
        (at, _by_name(students, of))
        for each, of in names.items()
        if (at := sheet.column(each)) is not None
    ]
    found = []
    for row in sheet.rows:
        those = [
            people[key] for at, people in columns if (key := row[at].strip().casefold()) in people
        ]
        found.append(those[0] if len({each.id for each in those}) == 1 else None)
    ids = [each.id for each in found if each]
    if twice := {each for each in ids if ids.count(each) > 1}:
        raise NotThatSheet(f"{sheet.path} has more than one row for {', '.join(sorted(twice))}")
    return found


def _by_name(
    students: Sequence[Learner], of: Callable[[Learner], Iterable[str]]
) -> dict[str, Learner]:
    """Students by what a column may call them; what two are called names neither."""
    owners: dict[str, dict[str, Learner]] = {}
    for student in students:
        for name in filter(None, of(student)):
            owners.setdefault(name.casefold(), {})[student.id] = student
    return {name: one for name, them in owners.items() for one in them.values() if len(them) == 1}


def same_points(about: About, cell: str, path: Path, where: str) -> None:
    """Raise NotThatSheet where the system's points are others, and a score would mean another."""
    try:
        there = float(cell.strip().replace(",", "."))
    except ValueError:
        return
    if abs(there - about.points) > 1e-6:
        raise NotThatSheet(
            f"{path}: {about.id} is worth {there:g} there, and {about.points:g} here: set "
            f"{where} to {about.points:g}, and export it from there again"
        )
