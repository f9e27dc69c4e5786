"""`autograder bundle`: what students download, and the grader that Gradescope runs."""

import os
from pathlib import Path
from typing import Annotated

import rich.markup
import typer

from autograder.bundle import bundles, gradescope
from autograder.cli.app import CourseFolder, app
from autograder.cli.common import err, fail, out, problems_told, read_nearest
from autograder.course import Course, known_secret, write_atomically
from autograder.release import build


@app.command()
def bundle(
    output: Annotated[
        Path | None, typer.Option(help="The folder to write to.", show_default="dist, or exports")
    ] = None,
    for_gradescope: Annotated[
        str | None,
        typer.Option(
            "--gradescope",
            metavar="NAME",
            help="Instead, the autograder of this assignment that Gradescope runs.",
            show_default=False,
        ),
    ] = None,
    course: CourseFolder = Path(),
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be written, and write nothing.")
    ] = False,
) -> None:
    """Write dist/: what students download.

    A zip for each assignment (the folder in assignments/, with its README and requirements.txt),
    course.zip with all of them, manifest.json with a hash of every file and item, and SHA256SUMS.
    The same course gives the same bytes, on any machine. Nothing else is touched; what is in dist/
    is replaced. Put the zips where students find them, and say where in course.yml under
    `handout.download`: the notebooks tell it to who has one without its files.

    With --gradescope NAME: exports/NAME-gradescope-grader.zip, to be uploaded under "Configure
    autograder" of a programming assignment. There each hand-in is graded at once, behind walls. It
    holds the answers and the course's secret: it is for Gradescope alone, never for students.

    Example: `autograder bundle --gradescope ps1`
    """
    with problems_told():
        found = read_nearest(course)
        if for_gradescope:
            name = f"{for_gradescope}-gradescope-grader.zip"
            grader = {name: gradescope(found, for_gradescope)}
            _write(output or found.root / "exports", grader, dry_run)
            return
        _write(output or found.root / "dist", bundles(found, _released(found)), dry_run)


def _released(course: Course) -> dict[str, dict[str, bytes]]:
    """The files of each assignments/NAME/, if all are what a release would write now."""
    files, stale = {}, {}
    for id in (each.id for each in course.assignments):
        with err.status(f"building {id} to compare"):
            built = build(course, id, known_secret(course.root))
        folder = course.root / "assignments" / id
        if changed := built.differs_from(folder):
            stale[id] = f"assignments/{id} is stale ({', '.join(changed[:3])})"
        files[id] = built.settled_on(folder).files
    if stale:
        fail(
            f"{'; '.join(stale.values())}: run `autograder release {' '.join(stale)}`, look at "
            f"{'it' if len(stale) == 1 else 'them'}, and bundle again"
        )
    return files


def _write(folder: Path, files: dict[str, bytes], dry_run: bool) -> None:
    for name, data in files.items():
        if not dry_run:
            write_atomically(folder / name, data)
        path = os.path.relpath(folder / name)
        said = f"{'would write' if dry_run else 'wrote'} {path} ({len(data):,} bytes)"
        out.print(rich.markup.escape(said), soft_wrap=True)
