"""The command line: the verbs. Only in this folder is anything printed; only here it exits.

Exit status: 0 everything was graded, 1 some submissions need staff, 2 a wrong call or manifest.
"""

import json
from pathlib import Path
from typing import Annotated

import rich.markup
import typer
from rich.table import Table

from autograder.cli import demo as demos
from autograder.cli import doctor as doctors
from autograder.cli.authoring import new
from autograder.cli.common import (
    err,
    fail,
    grade_and_publish,
    out,
    problems_told,
    read_nearest,
    wall_for,
)
from autograder.cli.gate import show_margins, show_proof, show_verification
from autograder.cli.show import print_result
from autograder.course import known_secret, read_secret
from autograder.grading import default_jobs, find_class, limits_of, prepare
from autograder.grading import grade as grade_one
from autograder.release import build
from autograder.sandbox.host import Server

app = typer.Typer(
    help="Build the course's assignments and grade what students hand in.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)
CourseFolder = Annotated[
    Path, typer.Option("--course", help="Folder of course.yml.", show_default="this one")
]
NoSandbox = Annotated[
    bool,
    typer.Option("--no-sandbox", help="Run student code WITHOUT walls; noted in every result."),
]
Sandbox = Annotated[
    str | None,
    typer.Option("--sandbox", help="sandlock or bubblewrap; the best one there is by default."),
]

app.command()(new)


@app.command()
def release(
    assignments: Annotated[
        list[str] | None, typer.Argument(help="Which ones; all by default.")
    ] = None,
    course: CourseFolder = Path(),
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail when assignments/ is stale.")
    ] = False,
) -> None:
    """Build what students get: assignments/NAME/ from solutions/NAME.py.

    Solutions are cleared by nbgrader, public cases recorded from the reference, and the result
    is scanned for leaks. The same source gives the same bytes.

    Example: `autograder release ps1`
    """
    with problems_told():
        found = read_nearest(course)
        stale = False
        for name in assignments or [each.id for each in found.assignments]:
            with out.status(f"building {name}"):
                built = build(found, name, known_secret(found.root))
            folder = found.root / "assignments" / name
            changed = built.differs_from(folder) if folder.exists() else sorted(built.files)
            stale = stale or bool(changed)
            if changed and not check:
                built.write(folder)
            said = "stale" if check else "written"
            out.print(f"{name}: {f'{said}: ' + ', '.join(changed) if changed else 'up to date'}")
        if check and stale:
            err.print("Run `autograder release` and commit assignments/.")
            raise typer.Exit(1)


@app.command()
def grade(
    assignment: Annotated[str, typer.Argument(help="Which assignment, as in course.yml.")],
    submitted: Annotated[
        Path | None,
        typer.Option(help="Folder of STUDENT/ASSIGNMENT/.", show_default="submitted"),
    ] = None,
    results: Annotated[
        Path | None, typer.Option(help="Where result files go.", show_default="results")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Workers.")] = default_jobs(),
    course: CourseFolder = Path(),
    sandbox: Sandbox = None,
    no_sandbox: NoSandbox = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Leave the gradebook and the feedback as they are.")
    ] = False,
) -> None:
    """Grade a class: result files, nbgrader's gradebook, feedback pages and a class page.

    Grading again gives the same scores; scores given by hand are kept.

    Example: `autograder grade ps1 --jobs 2`
    """
    with problems_told():
        found = read_nearest(course)
        found.assignment(assignment)  # a wrong name first
        wall = wall_for(sandbox, no_sandbox)
        where = submitted or found.root / "submitted"
        if not where.is_dir():
            fail(f"{where} is not a folder: name the one of <student>/{assignment}/ folders")
        class_ = find_class(where, assignment)
        if not class_:
            fail(f"nobody handed in {assignment}: no folder {where}/<student>/{assignment}/")
        folder = results or found.root / "results"
        graded = grade_and_publish(
            found, assignment, class_, folder, wall, jobs, record_it=not dry_run
        )
    raise typer.Exit(1 if any(result.needs_staff for result in graded) else 0)


@app.command()
def check(
    file: Annotated[Path, typer.Argument(help="A notebook (.ipynb) or its percent-format .py.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the result file.")] = False,
    assignment: Annotated[
        str | None, typer.Option(help="Which assignment.", show_default="the file's name")
    ] = None,
    course: CourseFolder = Path(),
    sandbox: Sandbox = None,
    no_sandbox: NoSandbox = False,
) -> None:
    """Grade one file and print what its student would read. Writes nothing.

    Example: `autograder check submitted/s042/ps1/ps1.ipynb`
    """
    with problems_told():
        found = read_nearest(course)
        wall = wall_for(sandbox, no_sandbox)
        if not file.is_file():
            fail(f"{file} is not a file")
        exam = prepare(found, assignment or file.stem, read_secret(found.root))
        with Server(wall, limits_of(exam.assignment)) as server:
            with err.status("starting the sandbox"):
                server.start()
            result = grade_one(file.resolve().parent.name, file, exam, server)
    if as_json:
        typer.echo(result.model_dump_json(indent=2))
    else:
        print_result(out, result.told(exam.assignment.feedback))
    raise typer.Exit(1 if result.needs_staff else 0)


@app.command()
def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Say what this machine offers for grading, and what to do about what is missing.

    Example: `autograder doctor`
    """
    findings = doctors.examine()
    if as_json:
        typer.echo(json.dumps([vars(each) for each in findings], indent=2))
    else:
        table = Table(box=None, show_header=False)
        for each in findings:
            mark = "[green]✓[/]" if each.advice is None else "[yellow]![/]"
            said = "" if each.advice is None else rich.markup.escape(each.advice)
            table.add_row(mark, each.what, each.found, said)
        out.print(table)
    if not doctors.can_grade(findings):
        err.print("No walls: grading is refused here until sandlock or bubblewrap works.")
        raise typer.Exit(1)


@app.command()
def demo(
    output: Annotated[
        Path | None, typer.Option(help="Where to build it.", show_default="build/demo")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Workers.")] = default_jobs(),
    course: CourseFolder = Path(),
    sandbox: Sandbox = None,
) -> None:
    """Grade a sample class in a copy of the course: right, wrong, broken and hostile submissions.

    Touches nothing outside its folder. Needs walls: some of the class means harm.

    Example: `autograder demo`
    """
    with problems_told():
        found = read_nearest(course)
        wall = wall_for(sandbox, no_sandbox=False)
        folder = output or found.root / "build" / "demo"
        copy = demos.set_up(found, folder)
        troubled = False
        for each in copy.assignments:
            with out.status(f"building {each.id} and its sample class"):
                samples = demos.fill(copy, each.id, found)
            about = {sample.name: f"{sample.kind}: {sample.about}" for sample in samples}
            class_ = find_class(copy.root / "submitted", each.id)
            folder = copy.root / "results"
            graded = grade_and_publish(copy, each.id, class_, folder, wall, jobs, about=about)
            troubled = troubled or any(result.needs_staff for result in graded)
    raise typer.Exit(1 if troubled else 0)


@app.command()
def verify(
    assignments: Annotated[
        list[str] | None, typer.Argument(help="Which ones; all by default.")
    ] = None,
    course: CourseFolder = Path(),
    sandbox: Sandbox = None,
) -> None:
    """The gate before publishing: try every promise of the course, a line with a figure for each.

    References, stubs and variants are graded, tolerances measured, releases built again and run
    in a real kernel. Takes minutes: the last assignment trains its model. Writes nothing.

    Example: `autograder verify ps1`
    """
    with problems_told():
        found = read_nearest(course)
        chosen = [found.assignment(name) for name in assignments or ()] or found.assignments
        kept = show_verification(out, err, found, chosen, wall_for(sandbox, no_sandbox=False))
    raise typer.Exit(0 if kept else 1)


@app.command()
def margins(
    assignments: Annotated[
        list[str] | None, typer.Argument(help="Which ones; all by default.")
    ] = None,
    course: CourseFolder = Path(),
    sandbox: Sandbox = None,
) -> None:
    """Measure how far each tolerance is from right code and from wrong code.

    Example: `autograder margins ps1`
    """
    with problems_told():
        found = read_nearest(course)
        chosen = [found.assignment(name) for name in assignments or ()] or found.assignments
        wide = show_margins(out, err, found, chosen, wall_for(sandbox, no_sandbox=False))
    raise typer.Exit(0 if wide else 1)


@app.command()
def prove(
    assignments: Annotated[
        list[str] | None, typer.Argument(help="Which ones; all by default.")
    ] = None,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Single faults and variants alone: no pairs, no mutants."),
    ] = False,
    output: Annotated[
        Path | None, typer.Option(help="Where the page goes.", show_default="build/proof.html")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Workers.")] = default_jobs(),
    course: CourseFolder = Path(),
    sandbox: Sandbox = None,
) -> None:
    """Prove that the grader catches what it should, and says nothing but the truth.

    Every fault of the bank, each pair of those made often, every right variant and every mutant of
    the references is graded as a submission. Fails when a fault or mutant survives, is not caught
    by the item meant for it or is named wrongly, and when a variant loses a point. Takes minutes.

    Example: `autograder prove ps1 --quick`
    """
    with problems_told():
        found = read_nearest(course)
        chosen = [found.assignment(name) for name in assignments or ()] or found.assignments
        wall = wall_for(sandbox, no_sandbox=False)
        page = output or found.root / "build" / "proof.html"
        proven = show_proof(out, err, found, chosen, wall, jobs, quick=quick, page=page)
    raise typer.Exit(0 if proven else 1)
