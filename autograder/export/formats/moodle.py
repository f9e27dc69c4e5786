"""Moodle's offline grading worksheet, to be uploaded: the assignment, Upload grading worksheet.

Identifier, Full name, Email address, Status, Grade, Maximum Grade, Last modified (submission), Last
modified (grade), Feedback comments. As mod/assign/gradingtable.php of moodle/moodle writes it, and
mod/assign/feedback/offline/{importgradeslib,locallib}.php read it: rows are found by Identifier,
"Participant 123", whose number is of this student in this assignment alone; an empty grade changes
nothing, one above the maximum is left out; and where Moodle has a later grade than "Last modified
(grade)" says, it is kept unless one ticks the box for that. Comments are HTML, and have no
backslash: to PHP's fgetcsv, by which lib/csvlib.class.php reads, a quote after one ends no cell.
"""

import html
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from autograder.export.cards import cards_of
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
from autograder.export.formats.marks import Learner, State
from autograder.export.page import legible

__all__ = ["NAMES", "fill", "known", "read_worksheet", "write"]

_ID, _GRADE, _POINTS, _COMMENTS = "Identifier", "Grade", "Maximum Grade", "Feedback comments"
_MODIFIED = "Last modified (grade)"
_BEGINS = "From the grader: "  # a comment of ours, which the next one replaces


NAMES: Names = {
    _ID: lambda who: [f"Participant {who.lms['moodle']}" if known(who) else ""],
    "Email address": lambda who: [who.email, who.id],
    "ID number": lambda who: [who.lms.get("sis", ""), who.id],
    "Username": lambda who: [who.lms.get("login", ""), who.id],
}


def known(student: Learner) -> bool:
    """Whether we know which participant the student is."""
    return student.lms.get("moodle", "").isdecimal()


def write(gathered: Gathered) -> str:
    """A row a student, for who has the numbers of this assignment's participants in the roster."""
    (about,) = gathered.marks.assignments
    rows: list[Sequence[Cell]] = [
        [
            *(_ID, "Full name", "Email address", "Status", _GRADE, _POINTS),
            *("Last modified (submission)", _MODIFIED, _COMMENTS),
        ]
    ]
    for each in gathered.marks.students:
        (work,) = each.work
        status = "No submission" if work.state is State.ABSENT else "Submitted for grading"
        at = work.handed_in.strftime("%A, %d %B %Y, %I:%M %p") if work.handed_in else "-"
        who = (Key(f"Participant {each.lms['moodle']}"), each.name, each.email)
        comment = Key(_comment(gathered, each))
        rows.append([*who, status, work.score, about.points, at, "-", comment])
    return as_csv(rows)


def fill(gathered: Gathered, path: Path) -> Filled:
    """Moodle's own worksheet with our grades, and comments where nobody has written one.

    Who has no score here keeps what stands there.
    """
    sheet, marks = read_worksheet(path), gathered.marks
    grade, points, comments, name = (
        sheet.column(each) for each in (_GRADE, _POINTS, _COMMENTS, "Full name")
    )
    assert grade is not None
    if sheet.column(_MODIFIED) is None:
        raise NotThatSheet(f"{path} lacks {_MODIFIED}, without which Moodle refuses it")
    students = students_of(sheet, marks.students, NAMES)
    for row, student in zip(sheet.rows, students, strict=True):
        if points is not None:
            same_points(marks.assignments[0], row[points], path, "its maximum grade in Moodle")
        if student and student.work[0].score is not None:
            row[grade] = number(student.work[0].score)
            if comments is not None and (
                not row[comments] or _BEGINS in row[comments][: 2 * len(_BEGINS)]
            ):
                row[comments] = _comment(gathered, student)
        if name is not None:
            row[name] = harmless(row[name])
    rows = [[Key(each) for each in row] for row in (sheet.header, *sheet.rows)]
    there = {each.id for each in students if each}
    return Filled(
        as_csv(rows, sheet.delimiter),
        tuple(
            row[name or 0] for row, student in zip(sheet.rows, students, strict=True) if not student
        ),
        tuple(each.name for each in marks.students if each.id not in there),
    )


def read_worksheet(path: Path) -> Sheet:
    """Moodle's own worksheet; raises NotThatSheet."""
    sheet = read_sheet(path)
    if sheet.column(_ID) is None or sheet.column(_GRADE) is None:
        raise NotThatSheet(
            f"{path} is not Moodle's grading worksheet: it lacks {_ID} or {_GRADE}; download it "
            "with Moodle in English: the assignment, Download grading worksheet"
        )
    return sheet


def _comment(gathered: Gathered, student: Learner) -> str:
    """What the student's page says, in short: each mistake with its price, what people wrote."""
    if student.work[0].state is not State.GRADED:
        return ""
    lines = [str(legible(each)) for each in _lines(gathered, student)]
    said = "<br>".join(html.escape(each, quote=False).replace("\n", "<br>") for each in lines)
    said = said.replace("\\", "&#92;")
    return f"{_BEGINS}{said}" if said else ""


def _lines(gathered: Gathered, student: Learner) -> Iterator[str]:
    (assignment,), (work,) = gathered.assignments, student.work
    result = gathered.results.get((assignment.id, student.id))
    if work.penalty:
        yield f"Late: {number(work.penalty)} points less."
    if result:
        for card in cards_of(result.told(assignment.feedback), assignment.feedback):
            heading = re.sub(r"`([^`]+)`", r"\1", card.heading)
            choices = " Or: ".join(each.what for each in card.choices)
            heading += "" if heading.endswith((".", "?", "!", ":")) else "."
            place = card.place if not choices else None
            line = f'Line {place.line}: "{place.source}".' if place else ""
            said = (f"{card.number}. {heading}", choices, line, f"{card.price(result.max_score)}.")
            yield " ".join(filter(None, said))
    for part, mark in zip(gathered.marks.assignments[0].parts, work.marks, strict=True):
        if mark.comment:
            yield f"{part.title}: {mark.comment}"
