"""extensions.csv beside course.yml: who may hand in what later, as a number of days or until when.

    student,assignment,days,until,reason
    s042,a1,2,,ill
    s007,a2,,2027-03-01 12:00,

A time without an offset is in the zone of the due date.
It is about the class, and so stays out of the course's history, as all its tables do.
"""

import csv
import difflib
import io
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from autograder.course.lines import ManifestError
from autograder.course.manifest import Course
from autograder.course.moments import moment
from autograder.course.roster import ROSTER, read_roster

__all__ = ["EXTENSIONS", "Extension", "Extensions", "ExtensionsError", "read_extensions"]

EXTENSIONS = "extensions.csv"
_COLUMNS = ("student", "assignment", "days", "until", "reason")
_MAX_BYTES = 2**20


class ExtensionsError(ManifestError):
    """What is wrong with extensions.csv: all of it, one problem a line."""


@dataclass(frozen=True)
class Extension:
    """Until when somebody may hand something in (with its offset), and the line that says so."""

    until: datetime
    line: int


Extensions = Mapping[tuple[str, str], Extension]  # by the student and the assignment


def read_extensions(course: Course) -> Extensions:
    """The extensions of a course's class; none where there is no file.

    Raises ExtensionsError, and RosterError for a wrong roster.
    """
    path = course.root / EXTENSIONS
    if not path.exists():
        return {}
    class_ = read_roster(course.root).people
    found: dict[tuple[str, str], Extension] = {}
    problems = []
    for line, row in _rows(path):
        try:
            of, until = (row["student"], row["assignment"]), _until(row, course)
            if class_ and row["student"] not in class_:
                close = difflib.get_close_matches(row["student"], class_, n=1)
                guess = f"; did you mean {close[0]}?" if close else ""
                raise ValueError(f"student {row['student']!r} is not in {ROSTER}{guess}")
            if of in found:
                raise ValueError(f"{' and '.join(of)} stand here twice, first on {found[of].line}")
            found[of] = Extension(until, line)
        except ValueError as error:
            problems.append(f"{EXTENSIONS}:{line}: {error}")
    if problems:
        raise ExtensionsError("\n".join(problems))
    return found


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Each row by its columns, with its line; what is blank is left out."""
    try:
        with open(path, "rb") as file:
            raw = file.read(_MAX_BYTES + 1)
        if len(raw) > _MAX_BYTES:
            raise ExtensionsError(f"{EXTENSIONS}: must be at most {_MAX_BYTES} bytes, is longer")
        reader = csv.reader(io.StringIO(raw.decode("utf-8-sig"), newline=""), strict=True)
        columns: list[str] = []
        for row in reader:
            cells = [each.strip() for each in row]
            if not any(cells):
                continue
            if not columns:
                columns = _known(cells, reader.line_num)
                continue
            if len(cells) > len(columns) and any(cells[len(columns) :]):
                raise ExtensionsError(
                    f"{EXTENSIONS}:{reader.line_num}: has {len(cells)} cells, and there are "
                    f"{len(columns)} columns: put what has a comma in quotes"
                )
            row_of = dict.fromkeys(_COLUMNS, "") | dict(zip(columns, cells, strict=False))
            yield reader.line_num, row_of
    except OSError as error:
        raise ExtensionsError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ExtensionsError(f"{EXTENSIONS}: must be UTF-8: {error}") from error
    except csv.Error as error:
        raise ExtensionsError(f"{EXTENSIONS}:{reader.line_num}: is no CSV: {error}") from error


def _known(cells: list[str], line: int) -> list[str]:
    columns = [each.lower() for each in cells]
    known = ", ".join(_COLUMNS)
    for each in columns:
        if each not in _COLUMNS or columns.count(each) > 1:
            close = difflib.get_close_matches(each, _COLUMNS, n=1)
            guess = f"; did you mean {close[0]}?" if close and each not in _COLUMNS else ""
            what = "stands twice" if each in _COLUMNS else f"is not a known column{guess}"
            raise ExtensionsError(f"{EXTENSIONS}:{line}: {each!r} {what} (known: {known})")
    if missing := [each for each in ("student", "assignment") if each not in columns]:
        raise ExtensionsError(
            f"{EXTENSIONS}:{line}: lacks the column {missing[0]} (known: {known}), "
            f"has {', '.join(columns)}"
        )
    return columns


def _until(row: Mapping[str, str], course: Course) -> datetime:
    """Until when a row allows; raises ValueError naming what is wrong in it."""
    if not row["student"]:
        raise ValueError("student must be a student's id, is empty")
    assignments = {each.id: each for each in course.assignments}
    if row["assignment"] not in assignments:
        known = ", ".join(assignments)
        raise ValueError(f"assignment must be one of {known}, got {row['assignment']!r}")
    dates = assignments[row["assignment"]].dates
    if dates is None:
        raise ValueError(f"{row['assignment']} has no due date in course.yml to be extended")
    if bool(row["days"]) == bool(row["until"]):
        got = f"got days {row['days']!r} and until {row['until']!r}"
        raise ValueError(f"must have either days or until, {got}")
    if row["days"]:
        return dates.due + timedelta(days=_days(row["days"]))
    try:
        until = moment(row["until"], dates.due.tzinfo)
    except ValueError as error:
        raise ValueError(f"until {error}") from error
    if until <= dates.due:
        raise ValueError(f"until must be after the due date ({dates.due}), got {until}")
    return until


def _days(text: str) -> float:
    try:
        days = float(text)
    except ValueError:
        days = math.nan
    if not 0 < days <= 366:
        raise ValueError(f"days must be a number, above 0 and at most 366, got {text!r}")
    return days
