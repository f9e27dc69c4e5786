"""The verbs of whoever makes the course: release, samples, margins and prove."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from autograder.cli.app import CourseFolder, Sandbox, app
from autograder.cli.common import err, fail, out, problems_told, read_nearest, wall_for
from autograder.cli.gate import (
    show_margins,
    show_measured,
    show_proof,
    show_samples,
)
from autograder.course import as_words, known_secret
from autograder.grading import default_jobs
from autograder.proof import ALL, Shard, read_samples
from autograder.release import build


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
    """Build what students get: assignments/NAME/ from solutions/NAME/.

    Solutions are cleared by nbgrader, public cases recorded from the reference, and the result
    is scanned for leaks. The same source gives the same bytes.

    Example: `autograder release ps1`
    """
    with problems_told():
        found = read_nearest(course)
        stale = False
        for name in assignments or [each.id for each in found.assignments]:
            with err.status(f"building {name}"):
                built = build(found, name, known_secret(found.root))
            folder = found.root / "assignments" / name
            changed = built.differs_from(folder) if folder.exists() else sorted(built.files)
            stale = stale or bool(changed)
            if changed and not check:
                built.write(folder)
                dates = found.assignment(name).dates
                if dates and dates.due < datetime.now(UTC):
                    err.print(f"note: {name} was due {as_words(dates.due)}, which is past")
            said = "stale" if check else "written"
            out.print(f"{name}: {f'{said}: ' + ', '.join(changed) if changed else 'up to date'}")
        if check and stale:
            err.print("Run `autograder release` and commit assignments/.")
            raise typer.Exit(1)


@app.command()
def samples(
    assignment: Annotated[str, typer.Argument(help="Which assignment, as in course.yml.")],
    pattern: Annotated[
        str, typer.Argument(help="Part of a name; those that match are told in full.")
    ] = "",
    jobs: Annotated[int, typer.Option(min=1, help="Workers.")] = default_jobs(),
    course: CourseFolder = Path(),
    sandbox: Sandbox = None,
) -> None:
    """Grade an assignment's samples: whether each gets what it says that it must.

    Those of solutions/NAME/right, wrong and hostile, and the stub. Fails when one gets something
    else, and says what.

    Example: `autograder samples ps1 swapped_axes`
    """
    with problems_told():
        found = read_nearest(course)
        wall = wall_for(sandbox, no_sandbox=False)
        chosen = [each for each in read_samples(found, assignment) if pattern in each.name]
        if not chosen:
            fail(f"no sample of {assignment} has {pattern!r} in its name")
        told_in_full = bool(pattern)
        as_told = show_samples(out, err, found, assignment, chosen, wall, jobs, told_in_full)
    raise typer.Exit(0 if as_told else 1)


@app.command()
def margins(
    assignments: Annotated[
        list[str] | None, typer.Argument(help="Which ones; all by default.")
    ] = None,
    course: CourseFolder = Path(),
    sandbox: Sandbox = None,
    secrets: Annotated[
        int, typer.Option(min=1, help="With how many secrets, each of which draws other inputs.")
    ] = 1,
) -> None:
    """Measure how far each tolerance is from right code and from wrong code.

    Example: `autograder margins ps1 --secrets 20`
    """
    with problems_told():
        found = read_nearest(course)
        chosen = [found.assignment(name) for name in assignments or ()] or found.assignments
        wall = wall_for(sandbox, no_sandbox=False)
        wide = show_margins(out, err, found, chosen, wall, secrets)
    raise typer.Exit(0 if wide else 1)


def _shard(text: str) -> Shard:
    try:
        return Shard.read(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


@app.command()
def prove(
    assignments: Annotated[
        list[str] | None, typer.Argument(help="Which ones; all by default.")
    ] = None,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Single faults and variants alone."),
    ] = False,
    lines: Annotated[
        bool,
        typer.Option("--lines", help="Look for the lines of all that is wrong, not of a share."),
    ] = False,
    shard: Annotated[
        Shard | None,
        typer.Option(
            parser=_shard,
            metavar="K/N",
            help="The Kth of N parts of what can be wrong, such as 2/3: several machines share it.",
            show_default="all of it",
        ),
    ] = None,
    measure: Annotated[
        bool,
        typer.Option("--measure", help="Only write where each fault shows: faults/shows.yml."),
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
    by the item meant for it or is named wrongly, when a variant loses a point, and when
    mistakes cost above a tenth of the points in the mean. Takes minutes.

    Example: `autograder prove ps1 --quick`, or `autograder prove --shard 2/3`
    """
    with problems_told():
        found = read_nearest(course)
        chosen = [found.assignment(name) for name in assignments or ()] or found.assignments
        wall = wall_for(sandbox, no_sandbox=False)
        if measure:
            show_measured(out, err, found, chosen, wall, jobs)
            raise typer.Exit
        page = output or found.root / "build" / "proof.html"
        proven = show_proof(
            *(out, err, found, chosen, wall, jobs),
            quick=quick,
            lines=lines,
            shard=shard or ALL,
            page=page,
        )
    raise typer.Exit(0 if proven else 1)
