"""`autograder verify`: the gate before publishing."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from autograder.checking import collect
from autograder.cli.app import CourseFolder, Sandbox, app
from autograder.cli.common import err, out, problems_told, read_nearest, wall_for
from autograder.course import Assignment, Course, source_path
from autograder.grading import default_jobs
from autograder.notebooks import read_source
from autograder.proof import Finding, Promised, side_by_side, unkept
from autograder.proof import verify as try_all

_PROMISED = "what is promised and what is asked"


@app.command()
def verify(
    assignments: Annotated[
        list[str] | None, typer.Argument(help="Which ones; all by default.")
    ] = None,
    promises: Annotated[
        bool,
        typer.Option("--promises", help="Only what the notebook says beside what checks ask."),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the result as JSON, and nothing else.")
    ] = False,
    jobs: Annotated[int, typer.Option(min=1, help="Workers.")] = default_jobs(),
    course: CourseFolder = Path(),
    sandbox: Sandbox = None,
) -> None:
    """The gate before publishing: try every promise of the course, a line with a figure for each.

    The reference and every sample are graded, tolerances measured, releases built again, scanned
    for leaks and run in a real kernel, links and pictures looked at. Takes minutes, and what the
    notebooks take to run. Writes nothing.

    --promises takes seconds: each item's words in the notebook, beside the sentences of its checks,
    for you to read whether they are the same.

    Example: `autograder verify ps1`
    """
    with problems_told():
        found = read_nearest(course)
        chosen = [found.assignment(name) for name in assignments or ()] or found.assignments
        if promises:
            sides, findings = _sides(found, chosen)
        else:
            sides = {}
            findings = _try_all(found, chosen, wall_for(sandbox, False), jobs, told=not as_json)
            sides = _sides(found, chosen)[0] if as_json else {}
        if as_json:
            out.print_json(_as_json(findings, sides), highlight=False)
        elif promises:
            for name, rows in sides.items():
                out.print(_table(name, rows))
            _show_problems(findings)
    raise typer.Exit(0 if all(each.problem is None for each in findings) else 1)


def _try_all(
    course: Course, chosen: Sequence[Assignment], wall: str, jobs: int, told: bool
) -> list[Finding]:
    """Verify, and print a line for each promise as it is tried."""
    findings: list[Finding] = []
    with err.status("verifying") as status:
        for each in try_all(course, chosen, wall, jobs, lambda text: status.update(text)):
            if told and (not findings or each.assignment != findings[-1].assignment):
                out.print(f"[bold]{each.assignment}[/]")
            findings.append(each)
            if told:
                mark = "[green]✓[/]" if each.problem is None else "[red]✗[/]"
                out.print(f"  {mark} {each.promise:41} {escape(each.figure)}", soft_wrap=True)
                _show_problems([each])
    return findings


def _show_problems(findings: Sequence[Finding]) -> None:
    for each in findings:
        if each.problem is not None:
            out.print(f"      [red]{escape(each.problem)}[/]")


def _sides(
    course: Course, chosen: Sequence[Assignment]
) -> tuple[dict[str, list[Promised]], list[Finding]]:
    """The items of each assignment side by side, and what a machine sees of them."""
    sides, findings = {}, []
    for assignment in chosen:
        source = read_source(source_path(course.root, assignment.id))
        rows = side_by_side(assignment, source, collect(assignment, source))
        said = "; ".join(unkept(rows, source)) or None
        sides[assignment.id] = rows
        findings.append(Finding(assignment.id, _PROMISED, f"{len(rows)} items", said))
    return sides, findings


def _table(name: str, rows: Sequence[Promised]) -> Table:
    table = Table(title=name, title_justify="left", title_style="bold", show_lines=True)
    table.add_column("item", max_width=18)
    table.add_column("the notebook promises", ratio=1)
    table.add_column("checks ask (+ students have them, - they do not)", ratio=1)
    for row in rows:
        asked = [f"+ {each}" for each in row.public] + [f"- {each}" for each in row.hidden]
        told = " ".join(row.told.split())
        cells = (f"{row.title} ({row.points:g})", told or "(nothing)", "\n".join(asked))
        table.add_row(*map(escape, cells))
    return table


def _as_json(findings: Sequence[Finding], sides: Mapping[str, Sequence[Promised]]) -> str:
    about = {
        "kept": all(each.problem is None for each in findings),
        "findings": [asdict(each) for each in findings],
        "items": {name: [asdict(row) for row in rows] for name, rows in sides.items()},
    }
    return json.dumps(about, ensure_ascii=False)
