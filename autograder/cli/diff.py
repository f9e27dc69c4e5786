"""`autograder diff`: what changed between two versions, and whether grades may move by it."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from autograder.bundle import Change, cannot_say, changes, read_version, uncommitted
from autograder.cli.app import CourseFolder, app
from autograder.cli.common import nearest, out, problems_told

_NOW = "HEAD"
_NAMED = 3  # files


@app.command()
def diff(
    old: Annotated[str, typer.Argument(help="A tag or commit of git, or a folder of bundles.")],
    new: Annotated[str, typer.Argument(help="The same, of the later version.")] = _NOW,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the result as JSON, and nothing else.")
    ] = False,
    course: CourseFolder = Path(),
) -> None:
    """What changed between two versions of the course: for students, and for their grades.

    Tags and commits are looked for in the course's repository; a folder is one that `autograder
    bundle` wrote, which holds what students get alone. Nothing of either version is run.

    Example: `autograder diff v1.0 HEAD`
    """
    with problems_told():
        root = nearest(course)
        versions = read_version(root, old), read_version(root, new)
        found, unseen = changes(*versions), cannot_say(*versions)
        lying = uncommitted(root) if new == _NOW else []
    if as_json:
        about = {
            "old": old,
            "new": new,
            "students": any(each.students for each in found),
            "regrade": sorted({each.assignment or "*" for each in found if each.regrade}),
            "changes": [asdict(each) for each in found],
            "unseen": unseen,
        }
        out.print_json(json.dumps(about, ensure_ascii=False), highlight=False)
        return
    _show("For students", [each for each in found if each.students])
    _show("Behind the scenes", [each for each in found if not each.students])
    regrade = list(dict.fromkeys(each.assignment for each in found if each.regrade))
    if None in regrade:
        out.print("Regrade: every assignment; what all are graded by has changed.")
    elif regrade:
        out.print(f"Regrade: {', '.join(map(str, regrade))}.")
    else:
        out.print("Regrade: not needed.")
    if regrade:
        out.print("`autograder grade NAME --dry-run` shows whose points would move.")
    if unseen:
        out.print(unseen, soft_wrap=True)
    if lying:
        more = f" and {len(lying) - _NAMED} more" if len(lying) > _NAMED else ""
        said = f"Not looked at, because it is not committed: {', '.join(lying[:_NAMED])}{more}."
        out.print(escape(said), soft_wrap=True)


def _show(title: str, found: Sequence[Change]) -> None:
    out.print(f"[bold]{title}[/]{'' if found else ': nothing'}")
    shown: str | None = ""
    for each in found:
        if each.assignment != shown:
            shown = each.assignment
            out.print(f"  {shown or 'all assignments'}")
        mark = "[yellow]*[/]" if each.regrade else "-"
        said = f"{each.item}: {each.what}" if each.item else each.what
        out.print(f"    {mark} {escape(said)}", soft_wrap=True)
