"""Before a run writes to a gradebook: is it this course's, and whole? And a copy of it beside it.

Another database than SQLite has backups of its own, which are its keeper's.
"""

import filecmp
import shutil
import sqlite3
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection, text

from autograder.course import Course
from autograder.export.opening import (
    GradebookError,
    GradebookOutOfReach,
    file_of,
    looked_into,
    open_gradebook,
    shown,
)
from autograder.export.settings import Settings

__all__ = ["back_up", "foresee", "ready"]

_NEWEST = 5  # of the copies, which stay in any case; and then
_DAYS = 10  # the last copy of a day, of so many days
_NOBODYS = ("", "default_course")  # nbgrader's names for a course without one


def ready(settings: Settings, course: Course) -> None:
    """See that the gradebook can take this course's scores.

    Raises GradebookError for one of another course or schema, or one that is damaged or locked.
    """
    url, own = settings.db_url, str(settings.directory.course_id)
    _refuse_unfit(course, own, url)
    file = file_of(url)
    if file is not None and file.exists():
        _refuse_damage(file, url)
    with open_gradebook(url, own):
        pass  # which writes down whose it is


def foresee(settings: Settings, course: Course) -> None:
    """See before a class is graded whether the gradebook is one that could never take its scores.

    What is only out of reach now may be within reach by then. Raises GradebookError.
    """
    with suppress(GradebookOutOfReach):
        _refuse_unfit(course, str(settings.directory.course_id), settings.db_url)


def _refuse_unfit(course: Course, own: str, url: str) -> None:
    with looked_into(url) as connection:
        if connection is not None:
            _refuse_another_course(connection, course, own, url)


def _refuse_another_course(connection: Connection, course: Course, own: str, url: str) -> None:
    of = f"the gradebook {shown(url)}"
    names = set(connection.scalars(text("SELECT id FROM course"))) - {*_NOBODYS}
    assignments = set(connection.scalars(text("SELECT name FROM assignment")))
    if assignments and names and own not in (*_NOBODYS, *names):
        raise GradebookError(
            f"{of} is that of the course {', '.join(sorted(names))}, and course_id in "
            f"nbgrader_config.py is {own}: name another db_url there, or move the gradebook aside"
        )
    if assignments and assignments.isdisjoint(each.id for each in course.assignments):
        raise GradebookError(
            f"{of} is of another course: it has {', '.join(sorted(assignments)[:5])}, and none of "
            "the assignments of course.yml; name another db_url in nbgrader_config.py, or move the "
            "gradebook aside"
        )


def _refuse_damage(file: Path, url: str) -> None:
    """Raise GradebookOutOfReach for a file that is half written: its copies are worth more."""
    with closing(sqlite3.connect(file)) as connection:
        try:
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        except sqlite3.DatabaseError as error:
            found = str(error)
    copies = _copies(file)
    if not file.stat().st_size and copies:
        found = "it is empty"
    if found != "ok":
        newest = f"the newest is {copies[0]}" if copies else "there is none beside it"
        raise GradebookOutOfReach(
            f"the gradebook {shown(url)} cannot be used: {found}; where it is damaged, move it "
            f"aside, put a copy of it in its place ({newest}), then run this again"
        )


def back_up(db_url: str) -> None:
    """Copy a gradebook beside it, unless it is as the newest copy has it, and thin the copies.

    One that has no assignment yet, or is no file, is not copied. Raises GradebookError.
    """
    file = file_of(db_url)
    if file is None:
        return
    with looked_into(db_url) as connection:
        if connection is None or not connection.scalar(text("SELECT count(*) FROM assignment")):
            return
    copies = _copies(file)
    stamp = f"{datetime.now(UTC):%Y-%m-%dT%H-%M-%S-%fZ}"
    fresh, copy = (file.with_name(f"{file.name}.{kind}-{stamp}") for kind in ("new", "backup"))
    try:
        try:
            with closing(sqlite3.connect(file)) as this, closing(sqlite3.connect(fresh)) as other:
                this.backup(other)
        except sqlite3.Error as error:
            raise GradebookOutOfReach(
                f"the gradebook {shown(db_url)} cannot be copied before it is written to: {error}; "
                f"see that there is room in {file.parent} and that no other program holds it"
            ) from error
        if copies and filecmp.cmp(fresh, copies[0], shallow=False):
            return
        shutil.copymode(file, fresh)
        fresh.rename(copy)
    finally:
        fresh.unlink(missing_ok=True)
    days: set[str] = set()
    for number, each in enumerate([copy, *copies]):
        day = each.name.removeprefix(f"{file.name}.backup-")[:10]
        if number >= _NEWEST and (day in days or len(days) >= _DAYS):
            each.unlink()
        days.add(day)


def _copies(file: Path) -> list[Path]:
    """The copies of a gradebook, the newest first."""
    return sorted(file.parent.glob(f"{file.name}.backup-*"), reverse=True)
