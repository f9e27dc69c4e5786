"""The command line: the verbs. Only here, and in show.py, is anything printed; only here, exited.

Exit status: 0 everything was graded, 1 some submissions need staff, 2 a wrong call or manifest.
"""

import contextlib
import json
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import rich.markup
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from autograder import demo as demos
from autograder import doctor as doctors
from autograder.classroom import HandedIn, Room, default_jobs, find_class, grade_class
from autograder.cli.show import print_class, print_needs_staff, print_result
from autograder.course import Course, ManifestError, UnknownIdError, read_course
from autograder.export.gradebook import GradebookError
from autograder.export.publish import publish
from autograder.grading import grade as grade_one
from autograder.grading import limits_of, prepare
from autograder.plugin import ChecksBroken
from autograder.release import ReleaseError, build
from autograder.result import Result
from autograder.sandbox.host import Server, ServerFailed
from autograder.sandbox.walls import NoWalls, choose, why_not
from autograder.secret import known_secret, read_secret

app = typer.Typer(
    help="Build the course's assignments and grade what students hand in.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)
out = Console(highlight=False)
err = Console(stderr=True, highlight=False)

_EXPECTED = (
    *(ManifestError, UnknownIdError, ReleaseError, ChecksBroken, NoWalls, ServerFailed),
    *(GradebookError, demos.NotADemo),
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

    Example: `autograder release a1_attention`
    """
    with _problems_told():
        found = _read(course)
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

    Example: `autograder grade a1_attention --jobs 2`
    """
    with _problems_told():
        found = _read(course)
        found.assignment(assignment)  # a wrong name first
        wall = _wall(sandbox, no_sandbox)
        where = submitted or found.root / "submitted"
        if not where.is_dir():
            _fail(f"{where} is not a folder: name the one of <student>/{assignment}/ folders")
        class_ = find_class(where, assignment)
        if not class_:
            _fail(f"nobody handed in {assignment}: no folder {where}/<student>/{assignment}/")
        folder = results or found.root / "results"
        graded = _grade_class(found, assignment, class_, folder, wall, jobs, record_it=not dry_run)
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

    Example: `autograder check submitted/s042/a1_attention/a1_attention.ipynb`
    """
    with _problems_told():
        found = _read(course)
        wall = _wall(sandbox, no_sandbox)
        if not file.is_file():
            _fail(f"{file} is not a file")
        exam = prepare(found, assignment or file.stem, read_secret(found.root))
        with Server(wall, limits_of(exam.assignment)) as server:
            with err.status("starting the sandbox"):
                server.start()
            result = grade_one(file.resolve().parent.name, file, exam, server)
    if as_json:
        typer.echo(result.model_dump_json(indent=2))
    else:
        print_result(out, result)
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
    with _problems_told():
        found = _read(course)
        wall = _wall(sandbox, no_sandbox=False)
        folder = output or found.root / "build" / "demo"
        copy = demos.set_up(found, folder)
        troubled = False
        for each in copy.assignments:
            with out.status(f"building {each.id} and its sample class"):
                samples = demos.fill(copy, each.id, found)
            about = {sample.name: f"{sample.kind}: {sample.about}" for sample in samples}
            class_ = find_class(copy.root / "submitted", each.id)
            folder = copy.root / "results"
            graded = _grade_class(copy, each.id, class_, folder, wall, jobs, about=about)
            troubled = troubled or any(result.needs_staff for result in graded)
    raise typer.Exit(1 if troubled else 0)


# What the commands share


def _grade_class(
    course: Course,
    assignment_id: str,
    class_: Sequence[HandedIn],
    folder: Path,
    wall: str,
    jobs: int,
    *,
    record_it: bool = True,
    about: dict[str, str] | None = None,
) -> list[Result]:
    """Grade, record, write the pages, and say so."""
    assignment = course.assignment(assignment_id)
    room = Room(course, assignment_id, folder, wall, read_secret(course.root))
    started = time.perf_counter()
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    with Progress(*columns, TimeElapsedColumn(), console=err) as progress:
        task = progress.add_task(f"grading {assignment_id}", total=len(class_))
        graded = grade_class(room, class_, jobs, lambda _: progress.advance(task))
    seconds = time.perf_counter() - started
    print_class(out, graded, assignment, about or {})
    out.print(f"{len(graded)} graded in {seconds:.1f} s, sandbox: {wall}")
    if record_it:
        done = publish(course, assignment, graded, folder)
        out.print(f"gradebook:  {_shown(done.gradebook)} ({done.recorded} recorded)")
        out.print(f"feedback:   {_shown(done.feedback)}/STUDENT/{assignment_id}/")
        out.print(f"class page: {_shown(done.class_page)}", soft_wrap=True)
    print_needs_staff(err, graded)
    return graded


def _wall(sandbox: str | None, no_sandbox: bool) -> str:
    if no_sandbox:
        warning = "student code runs without walls and may do all that you may do."
        err.print(f"[bold red]WARNING:[/] {warning}")
        return "none"
    if sandbox is None:
        return choose()
    if sandbox not in ("sandlock", "bubblewrap"):
        _fail(f"--sandbox must be sandlock or bubblewrap, got {sandbox!r}")
    reason = why_not(sandbox)
    if reason:
        _fail(f"{sandbox} cannot be used here: {reason}")
    return sandbox


def _read(folder: Path) -> Course:
    """The course of this folder, or of the nearest one above that has a course.yml."""
    start = folder.resolve()
    for each in (start, *start.parents):
        if (each / "course.yml").exists():
            return read_course(each)
    return read_course(start)


def _shown(path: Path) -> str:
    here = os.path.relpath(path)
    return str(path) if here.startswith("..") else here


def _fail(message: str) -> None:
    err.print(f"[red]error:[/] {rich.markup.escape(message)}")
    raise typer.Exit(2)


@contextlib.contextmanager
def _problems_told() -> Iterator[None]:
    """Tell what a caller can mend in a sentence, and exit with 2."""
    try:
        yield
    except typer.Exit:
        raise
    except (*_EXPECTED, ValueError, RuntimeError) as error:
        _fail(str(error))
