"""`autograder new`: the verb of those who write assignments."""

import os
from pathlib import Path
from typing import Annotated

import rich.markup
import typer

from autograder.cli.app import app
from autograder.cli.common import nearest, out, problems_told
from autograder.course import MANIFEST
from autograder.template import New, plan

_HOLDS = {
    "{name}.py": "the notebook as text: the story, the stub, the right answer",
    "checks.py": "what is checked",
    "faults/": "known mistakes, and what a student is told of each",
    "right/": "right answers in other styles, which must get full marks",
    "wrong/": "wrong ones, and the items that they must lose",
}
_NEXT = {
    "autograder release {name}": "what students get",
    "autograder check solutions/{name}/{name}.py": "grade the right answer",
    "autograder samples {name}": "grade right and wrong ones",
    "autograder verify {name}": "try every promise",
    "autograder prove {name}": "hand in every known mistake",
}


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="Lower-case letters, digits and underscores.")],
    title: Annotated[
        str | None, typer.Option(help="What people call it.", show_default="made of NAME")
    ] = None,
    course_name: Annotated[
        str | None,
        typer.Option(help="Of a course that starts here.", show_default="made of the folder's"),
    ] = None,
    course: Annotated[
        Path,
        typer.Option("--course", help="Folder of course.yml, if any.", show_default="this one"),
    ] = Path(),
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be made, and make nothing.")
    ] = False,
) -> None:
    """Make an assignment, tiny and complete: solutions/NAME/, and its entry in course.yml.

    A notebook, checks, a known mistake and samples that release, verify and prove as they are, with
    notes on how to go on. Where no course.yml is in the folder or above it, a course starts.

    Example: `autograder new squares --title "Least squares"`
    """
    with problems_told():
        found = plan(nearest(course), name, title, course_name)
        if not dry_run:
            found.write()
    _tell(found, dry_run)
    if not dry_run:
        _tell_next(found)


def _tell(found: New, dry_run: bool) -> None:
    made, added = ("would make", "would add") if dry_run else ("made", "added")
    _say(f"{made} {_from_here(found.folder)}/")
    _say_rows(_HOLDS, found.name)
    manifest = _from_here(found.root / MANIFEST)
    if found.starts_course:
        _say(f"{made} the course around it: {', '.join([manifest, *found.course])}")
    else:
        _say(f"{added} its entry to {manifest}: title, points, tolerance")
    for name, ours in found.kept.items():
        _say(f"left {name} as it is: compare it with {ours}")


def _tell_next(found: New) -> None:
    _say("\nNext, in this order:")
    if Path.cwd().resolve() != found.root.resolve():
        _say(f"  cd {_from_here(found.root)}")
    _say_rows(_NEXT, found.name)
    _say("Then make it yours: the notes in its files say how to go on.")


def _say_rows(rows: dict[str, str], name: str) -> None:
    filled = {what.format(name=name): about.format(name=name) for what, about in rows.items()}
    width = max(map(len, filled))
    for what, about in filled.items():
        _say(f"  {what:{width}}  {about}")


def _say(text: str) -> None:
    out.print(rich.markup.escape(text), soft_wrap=True)


def _from_here(path: Path) -> str:
    return os.path.relpath(path)
