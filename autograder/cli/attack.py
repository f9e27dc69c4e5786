"""What `doctor --attack` shows: a bar, what won if anything did, and a table of the walls."""

import tempfile
from collections import Counter
from pathlib import Path

import rich.markup
import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from autograder.cli.common import err, out, problems_told, read_nearest
from autograder.course import MANIFEST, Course, read_course
from autograder.proof import ATTACK_KINDS, Found, attack_all
from autograder.sandbox.walls import STANDING, why_not
from autograder.template import plan


def attack(folder: Path, jobs: int) -> None:
    """Attack the grader behind each wall that stands; exit with 1 when something won."""
    walls = [each for each in STANDING if why_not(each) is None]
    with problems_told(), tempfile.TemporaryDirectory() as place:
        found = list(_shown(_course(folder, Path(place)), walls, jobs))
    won = [each for each in found if each.won]
    for each in won:
        said = f"{each.kind} {each.name} on {each.assignment} behind {each.wall}: {each.won}"
        out.print(rich.markup.escape(said))
    table = Table("wall", *ATTACK_KINDS, "stood", box=None)
    for wall in walls:
        tried = Counter(each.kind for each in found if each.wall == wall)
        lost = any(each.wall == wall for each in won)
        counts = [str(tried[kind]) for kind in ATTACK_KINDS]
        table.add_row(wall, *counts, "[red]no[/]" if lost else "[green]yes[/]")
    out.print(table)
    if won:
        err.print(f"{len(won)} of {len(found)} attacks won. SECURITY.md says whom to tell.")
        raise typer.Exit(1)
    out.print(f"{len(found)} attacks, and none won.")


def _shown(course: Course, walls: list[str], jobs: int) -> list[Found]:
    columns = TextColumn("attacking"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    found: list[Found] = []
    with Progress(*columns, console=err, transient=True) as progress:
        bar = progress.add_task("", total=None)
        for each in attack_all(course, walls, jobs):
            if isinstance(each, int):
                progress.update(bar, total=each)
            else:
                found.append(each)
                progress.advance(bar)
    return found


def _course(folder: Path, place: Path) -> Course:
    """The course at hand; where there is none, a new one with one assignment."""
    if any((each / MANIFEST).exists() for each in (folder.resolve(), *folder.resolve().parents)):
        return read_nearest(folder)
    new = plan(place, "attacked", "Attacked")
    new.write()
    return read_course(place)
