"""`autograder collect`: what was handed in elsewhere, brought to where it is graded."""

import shlex
from pathlib import Path
from typing import Annotated

import rich.markup
import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from autograder.cli.app import CourseFolder, app
from autograder.cli.common import err, fail, out, problems_told, read_nearest
from autograder.collect import SYSTEMS, Collected, Place
from autograder.collect import collect as collect_from
from autograder.course import Assignment, Roster, read_roster
from autograder.export import foreseen, read_settings

_MAX_STRAYS = 20
_MAX_ROWS = 120  # of a longer class only those are shown of whom there is something to say


@app.command()
def collect(
    assignment: Annotated[str, typer.Argument(help="Which assignment, as in course.yml.")],
    source: Annotated[Path, typer.Argument(metavar="FROM", help="A download: a zip or a folder.")],
    system: Annotated[
        str | None,
        typer.Option("--as", help=f"{', '.join(SYSTEMS)}.", show_default="what it looks like"),
    ] = None,
    times: Annotated[
        Path | None,
        typer.Option(help="Moodle's grading worksheet, or a CSV with id and time."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done, and write nothing.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Take what is no newer, too; what is there is kept.")
    ] = False,
    course: CourseFolder = Path(),
) -> None:
    """Collect what was handed in elsewhere into submitted/, with its times.

    From nbgrader's exchange, a download of Canvas, Moodle or Gradescope, GitHub Classroom's
    folders, or a folder of files. The last hand-in counts, earlier ones are kept in earlier/.

    Example: `autograder collect ps1 submissions.zip --dry-run`
    """
    with problems_told():
        found = read_nearest(course)
        which = found.assignment(assignment)
        if system not in (None, *SYSTEMS):
            fail(f"--as must be {', '.join(SYSTEMS[:-1])} or {SYSTEMS[-1]}, got {system!r}")
        for path in filter(None, (source, times)):
            if not path.exists():
                fail(f"there is no {path}")
        settings, roster = read_settings(found.root), read_roster(found.root)
        lateness = foreseen(found, settings)
        earlier = found.root / "earlier"
        columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
        with Progress(*columns, console=err, transient=True) as progress:
            task = progress.add_task(f"collecting {assignment}")
            done = collect_from(
                which,
                source,
                roster,
                lambda student: Place(
                    settings.submitted(student, assignment), earlier / student / assignment
                ),
                lambda student, at: lateness(student, assignment, at),
                system=system,
                times=times,
                force=force,
                write=not dry_run,
                tell=lambda done, of: progress.update(task, completed=done, total=of),
            )
        _tell(done, which, roster)
        if dry_run:
            out.print("nothing was written: this was --dry-run")
        elif not done.needs_a_person:
            out.print(f"next: autograder grade {shlex.quote(assignment)}")
    raise typer.Exit(1 if done.needs_a_person else 0)


def _tell(done: Collected, assignment: Assignment, roster: Roster) -> None:
    """The class as a table, who is missing, and the figures."""
    rows = done.rows
    if len(rows) > _MAX_ROWS:
        rows = [row for row in rows if row.notes or row.is_late or row.for_a_person]
    zone = assignment.dates.due.tzinfo if assignment.dates else None
    table = Table(title=f"{assignment.title}, from {done.system}")
    for heading in ("student", "name", "handed in", "late", "what came of it"):
        table.add_column(heading, overflow="fold", no_wrap=heading == "handed in")
    for row in rows:
        name = roster.name_of(row.student) if row.known else f"unknown: {row.shown}"
        late = str(row.late or "") or "marked" * row.marked_late
        at = f"{row.at.astimezone(zone):%Y-%m-%d %H:%M}" if row.at else "?"
        cells = row.student, name, at, late, row.done
        style = "magenta" if row.for_a_person else None
        table.add_row(*map(rich.markup.escape, cells), style=style)
    out.print(table)
    for row in rows:
        for note in row.notes:
            if note not in row.for_a_person:
                _say(f"{row.student}: {note}")
    if done.missing:
        _say(f"missing: {', '.join(roster.called(each.id) for each in done.missing)}")
    if any(row.at is None for row in done.rows):
        out.print("? nobody says when it was handed in, so it counts as on time: see --times")
    if marked := [row.student for row in done.rows if row.marked_late]:
        _say(
            f"marked as late in {done.system}, which does not say by how much, so late work costs "
            f"nothing here: {', '.join(marked)}; see --times"
        )
    figures = {
        "handed in": len(done.rows),
        "missing": len(done.missing),
        "late": sum(row.is_late for row in done.rows),
        "more than once": sum(row.hand_ins > 1 for row in done.rows),
        "unknown": sum(not row.known for row in done.rows),
        "for a person to look at": sum(bool(row.for_a_person) for row in done.rows)
        + len(done.strays),
    }
    _say(", ".join(f"{number} {what}" for what, number in figures.items()))
    for row in done.rows:
        if row.for_a_person:
            _say(f"  {roster.called(row.student)}: {'; '.join(row.for_a_person)}")
    for stray in done.strays[:_MAX_STRAYS]:
        _say(f"  not taken: {stray}")
    if len(done.strays) > _MAX_STRAYS:
        _say(f"  not taken: {len(done.strays) - _MAX_STRAYS} more")


def _say(text: str) -> None:
    out.print(rich.markup.escape(text), soft_wrap=True)
