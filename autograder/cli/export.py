"""`autograder export`: scores in the format of the system that they go to."""

import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import rich.markup
import typer

from autograder.cli.app import CourseFolder, app
from autograder.cli.common import (
    err,
    fail,
    handed_in,
    must_be_up_to_date,
    out,
    problems_told,
    read_nearest,
)
from autograder.course import read_roster, write_atomically
from autograder.export import FORMATS, Format, Gathered, State, gather, read_settings

_MOST = 12  # names in a line


class _System(StrEnum):
    CSV = "csv"
    CANVAS = "canvas"
    MOODLE = "moodle"
    MOODLE_FEEDBACK = "moodle-feedback"
    GRADESCOPE = "gradescope"
    JSON = "json"


class _By(StrEnum):
    STUDENT = "student"
    ITEM = "item"


@app.command()
def export(
    assignments: Annotated[
        list[str] | None, typer.Argument(help="Which ones; all that were graded by default.")
    ] = None,
    to: Annotated[_System, typer.Option(help="The system, or the kind of file.")] = _System.CSV,
    by: Annotated[
        _By, typer.Option(help="A row of the csv: a student, or an item of a student.")
    ] = _By.STUDENT,
    into: Annotated[
        Path | None,
        typer.Option(help="Fill in this export of Canvas's, or worksheet of Moodle's."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option(help="The file to write.", show_default="in exports/")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    zero: Annotated[
        bool, typer.Option("--zero", help="What is due and was not handed in is worth 0.")
    ] = False,
    skip_unknown: Annotated[
        bool, typer.Option("--skip-unknown", help="Leave out whom the system would not know.")
    ] = False,
    results: Annotated[
        Path | None, typer.Option(help="Where result files are.", show_default="results")
    ] = None,
    course: CourseFolder = Path(),
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be written, and write nothing.")
    ] = False,
) -> None:
    """Write the gradebook's scores as a system takes them: Canvas, Moodle, Gradescope, a table.

    No score is an empty field, never a 0: what is not graded, waits for a person, or was not handed
    in. Nothing is graded, and the gradebook is only read.

    Example: `autograder export ps1 --to canvas`
    """
    with problems_told():
        found = read_nearest(course)
        chosen = [found.assignment(each) for each in dict.fromkeys(assignments or ())]
        if by is _By.ITEM and to is not _System.CSV:
            fail(f"--by item is a table's: it goes with --to csv, not with --to {to.value}")
        format = FORMATS["items" if by is _By.ITEM else to.value]
        if into and not format.fill:
            fillable = " or ".join(each for each, of in FORMATS.items() if of.fill)
            fail(f"--into goes with --to {fillable}, not with --to {to.value}")
        if into and not into.is_file():
            fail(f"{into} is not a file: name what you exported from {to.value}")
        settings, folder = read_settings(found.root), results or found.root / "results"
        for told in chosen or found.assignments:
            must_be_up_to_date(told, folder)
        gathered = gather(
            *(found, chosen, settings, folder, read_roster(found.root)),
            {
                each.id: {one.student for one in handed_in(settings, each.id)}
                for each in found.assignments
            },
            datetime.now(UTC) if zero else None,
        )
        files = gathered.apart() if format.one else [gathered]
        if len(files) > 1 and (into or output):
            fail(f"{to.value} takes a file for each assignment: name one assignment")
        targets = [output or _target(found.root, each, format) for each in files]
        if folders := [str(each) for each in targets if each.is_dir()]:
            fail(f"{folders[0]} is a folder: name the file with --output")
        there = [os.path.relpath(each) for each in targets if each.exists()]
        if there and not force and not dry_run:
            fail(
                f"{', '.join(there)} is there already: --force replaces it, --output names another"
            )
        contents = [_content(each, format, into, skip_unknown) for each in files]
        _tell(gathered)
        for target, (content, _) in zip(targets, contents, strict=True):
            if not dry_run:
                write_atomically(target, content)
            _say(f"{'would write' if dry_run else 'wrote'} {os.path.relpath(target)}")
        left_out = [why for _, whys in contents for why in whys]
        for each in left_out:
            err.print(f"[magenta]left out:[/] {rich.markup.escape(each)}", soft_wrap=True)
    raise typer.Exit(1 if left_out else 0)


def _target(root: Path, gathered: Gathered, format: Format) -> Path:
    ids = [each.id for each in gathered.assignments]
    return root / "exports" / f"{ids[0] if len(ids) == 1 else 'course'}{format.ending}"


def _content(
    gathered: Gathered,
    format: Format,
    into: Path | None,
    skip_unknown: bool,
) -> tuple[str | bytes, Sequence[str]]:
    """What is to be in the file, and why an assignment is not; whom it is not about is told."""
    if into and format.fill:
        filled = format.fill(gathered, into)
        _warn(f"in {into.name}, and not in this course", filled.not_here)
        _warn(f"in this course, and not in {into.name}", filled.not_there)
        return filled.content, filled.left_out
    scored = [each for each in gathered.marks.students if each.total.score is not None]
    unknown = [each.name for each in scored if not format.known(each)]
    if unknown and not skip_unknown:
        fail(
            f"roster.csv does not say who these are there ({format.asks}): {_names(unknown)}; add "
            "it, or leave them out with --skip-unknown"
            + (", or fill in an export from there with --into FILE" if format.fill else "")
        )
    _warn("left out, for want of an id", unknown)
    return format.write(gathered.of(format.known)), ()


def _tell(gathered: Gathered) -> None:
    """How many have a score, and who has none, by why."""
    for at, about in enumerate(gathered.marks.assignments):
        without = defaultdict(list)
        for student in gathered.marks.students:
            without[student.work[at].state].append(student.name)
        without.pop(State.STRANGER, None)
        _say(f"{about.id}: {len(without.pop(State.GRADED, []))} graded, of {about.points:g} points")
        for state in sorted(without):
            _say(f"  {state.value}: {len(without[state])} ({_names(without[state])})")


def _warn(what: str, names: Iterable[str]) -> None:
    if names := list(names):
        err.print(f"[yellow]{rich.markup.escape(what)}:[/] {rich.markup.escape(_names(names))}")


def _names(names: Sequence[str]) -> str:
    return ", ".join(names[:_MOST]) + (
        f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    )


def _say(text: str) -> None:
    out.print(rich.markup.escape(text), soft_wrap=True)
