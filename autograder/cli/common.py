"""What the commands share: the consoles, reading the course, choosing walls, telling problems."""

import contextlib
import os
import signal
import threading
from collections.abc import Collection, Iterator
from concurrent.futures import BrokenExecutor
from pathlib import Path
from typing import NoReturn

import rich.markup
import typer
from rich.console import Console

from autograder.bundle import BundleError, NoVersion
from autograder.checking import ChecksBroken
from autograder.cli import demo as demos
from autograder.collect import CollectError
from autograder.course import (
    MANIFEST,
    Assignment,
    Course,
    ManifestError,
    RosterError,
    UnknownIdError,
    counted,
    read_course,
)
from autograder.diagnosis import BadFault
from autograder.export import (
    GradebookError,
    GradebookOutOfReach,
    NothingGraded,
    NotThatSheet,
    Published,
    Settings,
    SettingsError,
    outdated_of_time,
    write_index,
    write_pages,
)
from autograder.grading import (
    BeingGraded,
    ClusterUnfit,
    HandedIn,
    default_jobs,
    find_class,
    held,
    outdated,
    waits,
)
from autograder.release import ReleaseError
from autograder.sandbox.host import ServerFailed
from autograder.sandbox.walls import STANDING, NoWalls, choose, why_not
from autograder.sandbox.wire import text

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)

_ENDS: dict[int, str] = {
    signal.SIGINT: "by Ctrl-C",
    signal.SIGTERM: "by SIGTERM",
    signal.SIGHUP: "as the terminal was closed",
}
_EXPECTED = (
    *(ManifestError, UnknownIdError, ReleaseError, ChecksBroken, NoWalls, ServerFailed),
    *(GradebookError, SettingsError, RosterError, CollectError, BadFault, demos.NotADemo),
    *(NothingGraded, NotThatSheet, BundleError, ClusterUnfit, NoVersion),
)


def write_pages_and_say_so(
    course: Course,
    assignment: Assignment,
    folder: Path,
    settings: Settings,
) -> None:
    """Write the pages of all students, and that of the class; say where they are."""
    say_where(write_pages(course, assignment, folder, settings, jobs=default_jobs()))


def say_where(pages: Published) -> None:
    """Say where the pages are."""
    out.print(f"feedback:   {shown(pages.feedback)}/", soft_wrap=True)
    out.print(
        f"class page: {shown(pages.class_page)} ({counted(pages.students, 'student')})",
        soft_wrap=True,
    )
    if pages.waiting:
        counts = ", ".join(f"{part} ({len(who)})" for part, who in pages.waiting.items())
        out.print(f"to be read: {counts}, in the formgrader", soft_wrap=True)


def write_index_and_say_so(course: Course, folder: Path, settings: Settings) -> None:
    """Write the page of the course, of all that lies in `folder`; say where it is."""
    index = write_index(course, folder, settings)
    out.print(f"the course: {shown(index)}", soft_wrap=True)


def mend_others(course: Course, done: Collection[str], folder: Path, settings: Settings) -> None:
    """Write the pages again that tell of late days as they were, where these are the course's.

    done: assignments whose pages are as they should be. Of what cannot be written now it is said.
    """
    there = (each for each in course.assignments if any((folder / each.id).glob("*.json")))
    for each in there if settings.over_course else ():
        if each.id in done:
            continue
        try:
            with held(folder, each.id):
                old = outdated_of_time(each, folder, settings)
                why = why_not_up_to_date(each, folder) if old else None
                if old and not why:
                    write_pages(course, each, folder, settings, old)
                    pages = counted(len(old), "page")
                    out.print(f"late days:  {pages} of {each.id} written again", soft_wrap=True)
        except BeingGraded as error:
            why = str(error)
        if why:
            err.print(f"note: pages of {each.id} may tell of late days as they were: {why}")


def must_be_up_to_date(assignment: Assignment, results: Path) -> None:
    """Refuse to tell scores of an assignment that were given for other points than it has now."""
    if why := why_not_up_to_date(assignment, results):
        fail(why)


def why_not_up_to_date(assignment: Assignment, results: Path) -> str | None:
    """Why its scores cannot be told now, and what to do; None if they can."""
    if count := waits(results, assignment.id):
        moving = f"{counted(count, 'result')} of {assignment.id} would move points of items"
        return f"{moving} and must be recorded first: run `autograder grade {assignment.id}`"
    if old := outdated(results, assignment):
        who = old[0] if len(old) == 1 else f"{old[0]} and {len(old) - 1} more"
        return (
            f"in {assignment.id} the results of {who} are from before its items or their points "
            f"changed in course.yml: run `autograder grade {assignment.id}` first"
        )
    return None


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
    found = nearest(folder)
    if not (found / MANIFEST).exists():
        fail(
            f"there is no {MANIFEST} in {found}, nor above: name the course's folder with --course"
        )
    return read_course(found)


def shown(path: Path) -> str:
    """A path as one would type it here."""
    here = os.path.relpath(path)
    return str(path) if here.startswith("..") else here


def fail(message: str) -> NoReturn:
    """Say what is wrong with the call, and exit with 2.

    It may quote the name of a student's file, which may hold codes that terminals obey.
    """
    said = rich.markup.escape(text(message, len(message)))
    err.print(f"[red]error:[/] {said}", soft_wrap=True)
    raise typer.Exit(2)


def _stop(message: str) -> NoReturn:
    """Say what the machine, or whoever sits at it, has put an end to; and exit with 3."""
    err.print(f"[red]stopped:[/] {rich.markup.escape(message)}", soft_wrap=True)
    raise typer.Exit(3)


@contextlib.contextmanager
def problems_told(goes_on: bool = False) -> Iterator[None]:
    """Tell in a sentence what a caller can mend, and exit with 2; the machine's faults with 3.

    goes_on: run again, the command takes up what was done.
    """
    try:
        with _ends_in_order() as ended_by:
            yield
    except typer.Exit:
        raise
    except BaseException as error:
        if ended_by or isinstance(error, KeyboardInterrupt):  # whatever has become of it on its way
            what = _ENDS[ended_by[0]] if ended_by else "by Ctrl-C"
            kept = "what was done by then is kept, and the same command goes on from there"
            _stop(f"{what}; {kept if goes_on else 'run the same command again'}")
        if isinstance(error, (BeingGraded, BrokenExecutor, GradebookOutOfReach, OSError)):
            _stop(_the_machines(error))
        if isinstance(error, (*_EXPECTED, ValueError, RuntimeError)):
            fail(str(error))
        raise


def _the_machines(error: Exception) -> str:
    if isinstance(error, BeingGraded):
        return str(error)
    if isinstance(error, BrokenExecutor):
        why = "one of its processes was killed, as the system does where memory runs out"
        return f"{why}; run the same command again, with fewer --jobs or more memory"
    if isinstance(error, GradebookOutOfReach):
        return f"{error}; result files are kept, and the same command goes on from there"
    assert isinstance(error, OSError)
    file = f": {error.filename}" if error.filename else ""
    why = f"{error.strerror or error}{file}"
    return f"{why}; what was written by then is kept, so mend it and run it again"


@contextlib.contextmanager
def _ends_in_order() -> Iterator[list[int]]:
    """Let every way of being asked to end leave everything in order, as Ctrl-C does.

    Gives a list, empty until then, of the signals that came.
    """
    came: list[int] = []

    def end(number: int, _: object) -> None:
        came.append(number)
        raise KeyboardInterrupt

    here = threading.current_thread() is threading.main_thread()
    before = {each: signal.getsignal(each) for each in _ENDS if here}
    ours = {each: was for each, was in before.items() if was is not signal.SIG_IGN}  # as by nohup
    for each in ours:
        signal.signal(each, end)
    try:
        yield came
    finally:
        for each, was in ours.items():
            signal.signal(each, was)
