"""Tables for spreadsheets and statistics: a row a student, or a row for each item of each student.

Wide, and not nbgrader's long table: `nbgrader export` writes that one, from the same gradebook.
Headings of ours begin with a capital, which no id does.
"""

from collections.abc import Iterator

from autograder.course import in_two
from autograder.export.formats.cells import Cell, as_csv
from autograder.export.formats.gathering import Gathered
from autograder.export.formats.marks import Learner, Marks

__all__ = ["by_item", "by_student"]

_WHO = ("Student", "Last name", "First name", "Email", "Section")
_MARK = "\ufeff"  # by which Excel knows UTF-8


def by_student(gathered: Gathered) -> str:
    """One assignment with a column an item; several with a column each, and the total."""
    marks = gathered.marks
    rows = _one(marks) if len(marks.assignments) == 1 else _several(marks)
    return _MARK + as_csv(rows)


def by_item(gathered: Gathered) -> str:
    """A row for each item of each student: verdict, score, points, and mistakes with a name."""
    return _MARK + as_csv(_items(gathered.marks))


def _one(marks: Marks) -> Iterator[list[Cell]]:
    (about,) = marks.assignments
    parts = [each.id for each in about.parts]
    yield [*_WHO, "State", *parts, "Penalty", "Score", "Points"]
    for student in marks.students:
        (work,) = student.work
        penalty = None if work.score is None else work.penalty
        scores = [each.score for each in work.marks]
        yield [*_who(student), work.state.value, *scores, penalty, work.score, work.points]


def _several(marks: Marks) -> Iterator[list[Cell]]:
    yield [*_WHO, *(each.id for each in marks.assignments), "Score", "Points", "Percent", "Without"]
    for student in marks.students:
        total = student.total
        without = ", ".join(f"{each}: {why.value}" for each, why in total.without.items())
        scores = [each.score for each in student.work]
        yield [*_who(student), *scores, total.score, total.points, total.percent, without]


def _items(marks: Marks) -> Iterator[list[Cell]]:
    yield [
        *("Assignment", "Student", "Name", "Section", "State", "Item", "Title"),
        *("Verdict", "Score", "Points", "By hand", "Mistakes"),
    ]
    for at, about in enumerate(marks.assignments):
        for student in marks.students:
            work = student.work[at]
            who = (about.id, student.id, student.name, student.section, work.state.value)
            for part, mark in zip(about.parts, work.marks, strict=True):
                yield [
                    *who,
                    part.id,
                    part.title,
                    mark.verdict and mark.verdict.value,
                    mark.score,
                    part.points,
                    "yes" if mark.by_hand else "",
                    "; ".join(mark.mistakes),
                ]


def _who(student: Learner) -> tuple[Cell, ...]:
    first, last = student.first_name, student.last_name
    if not (first or last) and student.name != student.id:
        first, last = in_two(student.name)
    return student.id, last, first, student.email, student.section
