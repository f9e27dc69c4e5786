"""Canvas's gradebook, to be imported: Gradebook, Import.

Student, ID, SIS User ID, SIS Login ID and Section, then a column an assignment, "Title (id)"; the
points are in a row of their own. As lib/gradebook_importer.rb of instructure/canvas-lms reads it:
the first heading has "Student" in it and the second "ID"; the last before the assignments is
"Section"; "(id)" is Canvas's number of the assignment, and a title alone is looked for among those
of the course; students are found by ID, then by SIS User ID, then by SIS Login ID. An empty cell is
"no grade", also where there was one: Canvas shows what would change before it changes anything.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from autograder.export.formats.cells import Cell, Key, as_csv, harmless, number
from autograder.export.formats.filling import (
    Filled,
    Names,
    NotThatSheet,
    Sheet,
    read_sheet,
    same_points,
    students_of,
)
from autograder.export.formats.gathering import Gathered
from autograder.export.formats.marks import About, Learner

__all__ = ["fill", "known", "write"]

_WHO = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
_POINTS = "Points Possible"
_ID = re.compile(r"\s\(\d+\)$")


def known(student: Learner) -> bool:
    """Whether Canvas would find the student by an id."""
    return any(student.lms.get(each) for each in ("canvas", "sis", "login"))


def write(gathered: Gathered) -> str:
    """A row a student, and a column an assignment that is called as it is in course.yml."""
    marks = gathered.marks
    rows: list[Sequence[Cell]] = [[*_WHO, *(each.title for each in marks.assignments)]]
    rows.append([f"    {_POINTS}", *[""] * 4, *(each.points for each in marks.assignments)])
    for each in marks.students:
        ids = [Key(each.lms.get(key, "")) for key in ("canvas", "sis", "login")]
        rows.append([each.sorted_name, *ids, each.section, *(work.score for work in each.work)])
    return as_csv(rows)


def fill(gathered: Gathered, path: Path) -> Filled:
    """The same of Canvas's own export: its students and our columns, the other columns left out.

    Who has no score here keeps what stands there.
    """
    sheet, marks = read_sheet(path), gathered.marks
    section, id_ = sheet.column("Section"), sheet.column("ID")
    if section is None or id_ is None or sheet.column("Student") != 0:
        raise NotThatSheet(
            f"{path} is not Canvas's gradebook: it must begin with the column Student and have ID "
            "and Section; export it in Canvas: Gradebook, Export (names in one column)"
        )
    columns = [_column(sheet, each) for each in marks.assignments]
    names: Names = {
        "ID": lambda who: [who.lms.get("canvas", "")],
        "SIS User ID": lambda who: [who.lms.get("sis", ""), who.id],
        "SIS Login ID": lambda who: [who.lms.get("login", ""), who.id, who.email],
    }
    students = students_of(sheet, marks.students, names)
    for row, student in zip(sheet.rows, students, strict=True):
        if _POINTS in row[0]:
            for about, column in zip(marks.assignments, columns, strict=True):
                same_points(about, row[column], path, "its points in Canvas")
        for work, column in zip(student.work if student else (), columns, strict=False):
            row[column] = row[column] if work.score is None else number(work.score)
        row[0] = harmless(row[0])
    kept = [*range(section + 1), *columns]
    rows = [[Key(row[at]) for at in kept] for row in (sheet.header, *sheet.rows)]
    there = {each.id for each in students if each}
    return Filled(
        as_csv(rows, sheet.delimiter),
        tuple(
            row[0]
            for row, student in zip(sheet.rows, students, strict=True)
            if row[id_] and not student
        ),
        tuple(each.name for each in marks.students if each.id not in there),
    )


def _column(sheet: Sheet, about: About) -> int:
    """Where the assignment is: by its title, or by its id in course.yml, as a title."""
    titles = [_ID.sub("", each) for each in sheet.header]
    wanted = (about.title.casefold(), about.id)
    there = [at for at, each in enumerate(titles) if each.strip().casefold() in wanted]
    if len(there) == 1:
        return there[0]
    got = ", ".join(
        title for title, each in zip(titles, sheet.header, strict=True) if title != each
    )
    raise NotThatSheet(
        f"{sheet.path} has {'several columns' if there else 'no column'} for {about.id}: one "
        f"assignment in Canvas must be called {about.title!r} or {about.id!r}; there are: {got}"
    )
