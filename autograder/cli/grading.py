"""The verbs of whoever grades: grade, check, doctor and demo."""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated

import rich.markup
import typer
from rich.table import Table

from autograder.cli import demo as demos
from autograder.cli import doctor as doctors
from autograder.cli.app import CourseFolder, NoSandbox, Sandbox, app
from autograder.cli.attack import attack as attack_on
from autograder.cli.common import (
    err,
    fail,
    handed_in,
    mend_others,
    must_be_up_to_date,
    out,
    problems_told,
    read_nearest,
    wall_for,
    write_index_and_say_so,
    write_pages_and_say_so,
)
from autograder.cli.running import How, run_class
from autograder.cli.show import print_result, print_untimed
from autograder.course import EXTENSIONS, read_secret
from autograder.export import back_up, hand_in_time, read_settings, ready, settle
from autograder.grading import HandedIn, default_jobs, find_class, held, limits_of, prepare
from autograder.grading import grade as grade_one
from autograder.notebooks import student_name
from autograder.sandbox.host import Server


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
    student: Annotated[
        list[str] | None,
        typer.Option(help="Only this one, or those of a pattern such as 's0*'; again for another."),
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Workers.")] = default_jobs(),
    course: CourseFolder = Path(),
    sandbox: Sandbox = None,
    no_sandbox: NoSandbox = False,
    force: Annotated[
        bool, typer.Option("--force", help="Grade again what has not changed, too.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Record grades that move without asking.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Leave the gradebook and the feedback as they are.")
    ] = False,
    scheduler: Annotated[
        str | None,
        typer.Option(
            help="Grade on a Dask cluster, by its scheduler's address; 'local' makes one."
        ),
    ] = None,
) -> None:
    """Grade what is new or has changed: result files, nbgrader's gradebook, feedback, a class page.

    Grading again gives the same scores; scores given by hand are kept. Where a changed check or
    tolerance moves grades, they are shown before they are recorded.

    Example: `autograder grade ps1 --jobs 2`
    """
    with problems_told(goes_on=True):
        found = read_nearest(course)
        found.assignment(assignment)  # a wrong name first
        wall = wall_for(sandbox, no_sandbox)
        settings = read_settings(found.root)
        if submitted is None:
            class_ = handed_in(settings, assignment)
            where = settings.submitted("<student>", assignment)
        elif submitted.is_dir():
            class_, where = find_class(submitted, assignment), submitted / "<student>" / assignment
        else:
            fail(f"{submitted} is not a folder: name the one of <student>/{assignment}/ folders")
        if not class_:
            fail(f"nobody handed in {assignment}: no folder {where}/")
        if unknown := [each for each in student or () if not _named(class_, each)]:
            fail(f"{', '.join(sorted(unknown))} did not hand in {assignment}: no {where}/")
        if student:
            names = {each.student for pattern in student for each in _named(class_, pattern)}
            class_ = [each for each in class_ if each.student in names]
        folder = results or found.root / "results"
        how = How(wall, jobs, force, yes, dry_run, scheduler, some=bool(student))
        troubled = run_class(found, assignment, class_, folder, settings, how)
        times = {each.student: hand_in_time(each.path) for each in class_}
        if untimed := {who: time.problem for who, time in times.items() if time.problem}:
            print_untimed(err, untimed)
        for (who, _), extension in settings.extensions.items():
            if not settings.submitted(who, assignment).parent.is_dir():  # a typo, or no hand-in yet
                err.print(f"note: {EXTENSIONS}:{extension.line}: {who} has not handed in anything")
    raise typer.Exit(1 if untimed or troubled else 0)


def _named(class_: Sequence[HandedIn], pattern: str) -> list[HandedIn]:
    """Those of this name, or whose names fit the pattern."""
    exactly = [each for each in class_ if each.student == pattern]
    return exactly or [each for each in class_ if fnmatchcase(each.student, pattern)]


@app.command()
def pages(
    assignments: Annotated[
        list[str] | None, typer.Argument(help="Which ones; all that were graded by default.")
    ] = None,
    results: Annotated[
        Path | None, typer.Option(help="Where result files are.", show_default="results")
    ] = None,
    course: CourseFolder = Path(),
) -> None:
    """Write the pages again, of what was graded: with the points and comments that people gave.

    Nothing is graded; what late work costs is reckoned again, wherever late days are shared.

    Example: `autograder pages ps1`
    """
    with problems_told():
        found = read_nearest(course)
        folder = results or found.root / "results"
        chosen = [found.assignment(each) for each in assignments or ()] or [
            each for each in found.assignments if (folder / each.id).is_dir()
        ]
        settings = read_settings(found.root)
        graded = [each for each in chosen if any((folder / each.id).glob("*.json"))]
        if not graded or len(graded) < len(chosen):
            which = ",".join(each.id for each in chosen if each not in graded)
            fail(f"nothing was graded: there is no result in {folder}/{which}")
        for each in chosen:  # pages of old scores and new points are of neither
            must_be_up_to_date(each, folder)
        ready(settings, found)
        back_up(settings.db_url)
        for each in graded:
            with held(folder, each.id):
                settle(each.id, settings.db_url, settings)
                write_pages_and_say_so(found, each, folder, settings)
        if settings.over_course:
            for each in found.assignments:
                if each not in graded:
                    settle(each.id, settings.db_url, settings)
        mend_others(found, [each.id for each in graded], folder, settings)
        write_index_and_say_so(found, folder, settings)


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
        if assignment is None and file.stem not in (known := [x.id for x in found.assignments]):
            fail(f"{file.name} is named after no assignment: add --assignment {' or '.join(known)}")
        which = found.assignment(assignment or file.stem)
        with Server(wall, limits_of(which)) as server:
            with err.status("starting the sandbox"), ThreadPoolExecutor() as meanwhile:
                started = meanwhile.submit(server.start)
                exam = prepare(found, which.id, read_secret(found.root))
                started.result()
            with err.status("grading"):
                result = grade_one(_whose(file, which.id), file, exam, server)
    if as_json:
        typer.echo(result.model_dump_json(indent=2))
    else:
        print_result(out, result, exam.assignment.feedback)
    raise typer.Exit(1 if result.asks_for_staff else 0)


def _whose(file: Path, assignment_id: str) -> str:
    """The student of submitted/STUDENT/ASSIGNMENT/FILE; of a file elsewhere, its folder's name."""
    *above, name, folder, _ = ("", "", *file.resolve().parts)
    handed_in = folder == assignment_id and above[-1:] == ["submitted"]
    return student_name(name if handed_in else folder)


@app.command()
def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    attack: Annotated[
        bool, typer.Option("--attack", help="Attack the grader, and say which walls stood.")
    ] = False,
    jobs: Annotated[int, typer.Option(min=1, help="Workers that attack.")] = default_jobs(),
    course: CourseFolder = Path(),
) -> None:
    """Say what this machine offers for grading, and what to do about what is missing.

    With --attack the course's own right answers are handed in, each with one of dozens of attacks
    in it, and after each an honest one. It takes minutes.

    Example: `autograder doctor --attack`
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
        err.print("No walls: grading is refused here until one kind of them stands.")
        raise typer.Exit(1)
    if attack:
        attack_on(course, jobs)


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
        for each in copy.assignments:
            with err.status(f"building {each.id} and its sample class"):
                samples = demos.fill(copy, each.id, found)
            about = {sample.name: f"{sample.kind}: {sample.about}" for sample in samples}
            settings = read_settings(copy.root)
            class_ = handed_in(settings, each.id)
            folder = copy.root / "results"
            how = How(wall, jobs, yes=True)
            # That some of it waits for staff is what it is there to show: no failure of the demo.
            run_class(copy, each.id, class_, folder, settings, how, about)
