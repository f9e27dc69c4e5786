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

    Who has no score here keeps what stands there. An assignment that Canvas lacks, or has for other
    points, is left out.
    """
    sheet, marks = read_sheet(path), gathered.marks
    section, id_ = sheet.column("Section"), sheet.column("ID")
    if section is None or id_ is None or sheet.column("Student") != 0:
        raise NotThatSheet(
            f"{path} is not Canvas's gradebook: it must begin with the column Student and have ID "
            "and Section; export it in Canvas: Gradebook, Export (names in one column)"
        )
    columns, left_out = _columns(sheet, marks.assignments)
    names: Names = {
        "ID": lambda who: [who.lms.get("canvas", "")],
        "SIS User ID": lambda who: [who.lms.get("sis", ""), who.id],
        "SIS Login ID": lambda who: [who.lms.get("login", ""), who.id, who.email],
    }
    students = students_of(sheet, marks.students, names)
    for row, student in zip(sheet.rows, students, strict=True):
        for work in student.work if student else ():
            if work.score is not None and work.assignment in columns:
                row[columns[work.assignment]] = number(work.score)
        row[0] = harmless(row[0])
    kept = [*range(section + 1), *columns.values()]
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
        tuple(left_out),
    )


def _columns(sheet: Sheet, assignments: Sequence[About]) -> tuple[dict[str, int], list[str]]:
    """Where each assignment is, and why it is nowhere; raises NotThatSheet when none is there."""
    columns, left_out = {}, []
    for about in assignments:
        try:
            column = _column(sheet, about)
            for row in sheet.rows:
                if _POINTS in row[0]:
                    same_points(about, row[column], sheet.path, "its points in Canvas")
            columns[about.id] = column
        except NotThatSheet as error:
            left_out.append(str(error))
    if not columns:
        raise NotThatSheet("\n".join(left_out))
    return columns, left_out


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
