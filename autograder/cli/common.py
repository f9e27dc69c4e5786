"""What the commands share: the consoles, reading the course, choosing walls, telling problems."""

import contextlib
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

import rich.markup
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from autograder.checking import ChecksBroken
from autograder.cli import demo as demos
from autograder.cli.show import print_class, print_needs_staff
from autograder.collect import CollectError
from autograder.course import (
    MANIFEST,
    Assignment,
    Course,
    ManifestError,
    Result,
    RosterError,
    UnknownIdError,
    read_course,
    read_roster,
    read_secret,
)
from autograder.diagnosis import BadFault
from autograder.export import (
    GradebookError,
    GradebookOutOfReach,
    NothingGraded,
    NotThatSheet,
    Settings,
    SettingsError,
    publish,
    write_index,
    write_pages,
)
from autograder.grading import HandedIn, Room, find_class, grade_class
from autograder.release import ReleaseError
from autograder.sandbox.host import ServerFailed
from autograder.sandbox.walls import STANDING, NoWalls, choose, why_not

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)

_EXPECTED = (
    *(ManifestError, UnknownIdError, ReleaseError, ChecksBroken, NoWalls, ServerFailed),
    *(GradebookError, SettingsError, RosterError, CollectError, BadFault, demos.NotADemo),
    *(NothingGraded, NotThatSheet),
)


def grade_and_publish(
    course: Course,
    assignment_id: str,
    class_: Sequence[HandedIn],
    folder: Path,
    wall: str,
    jobs: int,
    settings: Settings,
    *,
    record_it: bool = True,
    about: dict[str, str] | None = None,
) -> list[Result]:
    """Grade, record, write the pages, and say so."""
    assignment = course.assignment(assignment_id)
    room = Room(course, assignment_id, folder, wall, read_secret(course.root))
    roster = read_roster(course.root)  # what is wrong with it, before anybody is graded
    started = time.perf_counter()
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    with Progress(*columns, TimeElapsedColumn(), console=err) as progress:
        task = progress.add_task(f"grading {assignment_id}", total=len(class_))
        graded = grade_class(room, class_, jobs, lambda _: progress.advance(task))
    seconds = time.perf_counter() - started
    print_class(out, graded, assignment, about or {}, roster)
    out.print(f"{len(graded)} graded in {seconds:.1f} s, sandbox: {wall}")
    if record_it:
        submitted = {each.student: each.path for each in class_}
        recorded = publish(course, assignment, graded, settings, submitted)
        where = settings.db_url.rpartition("@")[2]  # a name and password may stand before it
        where = shown(Path(where.removeprefix("sqlite:///"))) if ":///" in where else where
        out.print(f"gradebook:  {where} ({recorded} recorded)", soft_wrap=True)
        write_pages_and_say_so(course, assignment, folder, settings, [*submitted])
        write_index_and_say_so(course, folder, settings)
    print_needs_staff(err, graded)
    return graded


def write_pages_and_say_so(
    course: Course,
    assignment: Assignment,
    folder: Path,
    settings: Settings,
    students: Sequence[str] | None = None,
) -> None:
    """Write the pages of these students, or of all, and that of the class; say where they are."""
    pages = write_pages(course, assignment, folder, settings, students)
    out.print(f"feedback:   {shown(pages.feedback)}/", soft_wrap=True)
    out.print(f"class page: {shown(pages.class_page)} ({pages.students} students)", soft_wrap=True)
    if pages.waiting:
        counts = ", ".join(f"{part} ({len(who)})" for part, who in pages.waiting.items())
        out.print(f"to be read: {counts}, in the formgrader", soft_wrap=True)


def write_index_and_say_so(course: Course, folder: Path, settings: Settings) -> None:
    """Write the page of the course, of all that lies in `folder`; say where it is."""
    index = write_index(course, folder, settings)
    out.print(f"the course: {shown(index)}", soft_wrap=True)


def handed_in(settings: Settings, assignment_id: str) -> list[HandedIn]:
    """Who handed in what, where nbgrader keeps it."""
    submitted = settings.submitted("student", assignment_id).parents[1]
    return find_class(submitted, assignment_id) if submitted.is_dir() else []


def wall_for(sandbox: str | None, no_sandbox: bool) -> str:
    """The walls that were asked for, or the best there are."""
    if no_sandbox:
        warning = "student code runs without walls and may do all that you may do."
        err.print(f"[bold red]WARNING:[/] {warning}")
        return "none"
    if sandbox is None:
        return choose()
    if sandbox not in STANDING:
        fail(f"--sandbox must be {', '.join(STANDING[:-1])} or {STANDING[-1]}, got {sandbox!r}")
    reason = why_not(sandbox)
    if reason:
        fail(f"{sandbox} cannot be used here: {reason}")
    return sandbox


def nearest(folder: Path) -> Path:
    """This folder, or the nearest one above it that has a course.yml; this one if none has."""
    start = folder.resolve()
    return next((each for each in (start, *start.parents) if (each / MANIFEST).exists()), start)


def read_nearest(folder: Path) -> Course:
    """The course of this folder, or of the nearest one above."""
    return read_course(nearest(folder))


def shown(path: Path) -> str:
    """A path as it is seen from here, where it lies below."""
    here = os.path.relpath(path)
    return str(path) if here.startswith("..") else here


def fail(message: str) -> NoReturn:
    """Say what is wrong with the call, and exit with 2."""
    err.print(f"[red]error:[/] {rich.markup.escape(message)}")
    raise typer.Exit(2)


def _stop(message: str) -> NoReturn:
    """Say what the machine, or whoever sits at it, has put an end to; and exit with 3."""
    err.print(f"[red]stopped:[/] {rich.markup.escape(message)}")
    raise typer.Exit(3)


@contextlib.contextmanager
def problems_told() -> Iterator[None]:
    """Tell in a sentence what a caller can mend, and exit with 2; the machine's faults with 3."""
    try:
        yield
    except typer.Exit:
        raise
    except KeyboardInterrupt:
        _stop("by Ctrl-C; what was written by then is kept, so run it again to finish")
    except GradebookOutOfReach as error:
        _stop(f"{error}; result files are kept")
    except OSError as error:
        file = f": {error.filename}" if error.filename else ""
        why = f"{error.strerror or error}{file}"
        _stop(f"{why}; what was written by then is kept, so mend it and run it again")
    except (*_EXPECTED, ValueError, RuntimeError) as error:
        fail(str(error))
