"""`samples`, `margins` and `prove`: what must hold before anything is published."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table

from autograder.cli.show import print_result
from autograder.course import Assignment, Course, counted
from autograder.grading import limits_of, prepare
from autograder.proof import (
    ALL,
    FACTOR,
    Margin,
    Proof,
    Sample,
    Shard,
    grade_samples,
    lines_told,
    locate_wrong,
    margins,
    mean_costs,
    measure,
    open_pool,
    problems_of,
    prove,
    read_samples,
    rows_told,
    short_names,
    stale_shows,
    try_all_mutants,
    write_proof,
    write_shows,
)
from autograder.sandbox.host import Server

# Of what is wrong: looking for a line takes a hundred times as long as losing an item.
_SOME = Shard(1, 20)


def show_samples(
    out: Console,
    err: Console,
    course: Course,
    assignment_id: str,
    chosen: Sequence[Sample],
    wall: str,
    jobs: int,
    told_in_full: bool,
) -> bool:
    """Grade samples and print what each got; returns whether that is what it says it must."""
    with _progress(err) as teller:
        tell = teller(f"{assignment_id}: samples")
        results = grade_samples(course, assignment_id, chosen, wall, jobs, tell)
    wrong = 0
    for sample in chosen:
        result, problem = results[sample.name], sample.misjudged(results[sample.name])
        wrong += problem is not None
        mark = "[green]✓[/]" if problem is None else "[red]✗[/]"
        score = "no score" if result.score is None else f"{result.score:g}"
        out.print(f"{mark} {sample.kind:7} {escape(sample.name)}: {score}", soft_wrap=True)
        if told_in_full:
            print_result(out, result)
        if problem is not None:
            out.print(f"  [red]{escape(problem)}[/]", soft_wrap=True)
    out.print(f"{counted(len(chosen), 'sample')}, {wrong} got something else than they must")
    return not wrong


def show_margins(
    out: Console,
    err: Console,
    course: Course,
    chosen: Sequence[Assignment],
    wall: str,
    secrets: int,
) -> bool:
    """Measure and print the margins of all tolerances; returns whether all are wide enough."""
    measured_on = [f"what the margins are measured on, {i}" for i in range(secrets)]
    wide = True
    for assignment in chosen:
        with err.status(f"measuring {assignment.id}") as status:
            exam, *more = (prepare(course, assignment.id, secret) for secret in measured_on)
            with Server(wall, limits_of(assignment)) as server:
                found = margins(
                    exam,
                    read_samples(course, assignment.id),
                    server,
                    lambda sample: status.update(f"measuring {sample.assignment}: {sample.name}"),
                    more,
                )
        wide = wide and all(each.holds for each in found)
        out.print(_table(assignment.id, found))
    out.print(
        "Errors in units of what is allowed: a tolerance holds when every right variant is below "
        f"{1 / FACTOR:g} and every wrong sample whose values cost the item above {FACTOR:g}."
    )
    return wide


def show_measured(
    out: Console, err: Console, course: Course, chosen: Sequence[Assignment], wall: str, jobs: int
) -> None:
    """Measure where each fault shows, and write it down beside the faults."""
    with _progress(err) as teller, open_pool(course, wall, jobs) as pool:
        for assignment in chosen:
            measured = measure(course, assignment.id, pool, teller(assignment.id))
            path = write_shows(course.root, assignment.id, measured)
            out.print(f"written: {path}", soft_wrap=True)


@contextmanager
def _progress(err: Console) -> Iterator[Callable[[str], Callable[[int, int], None]]]:
    """Gives what makes a bar, and returns what moves it: so many done of so many."""
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    with Progress(*columns, TimeElapsedColumn(), console=err) as progress:

        def teller(said: str) -> Callable[[int, int], None]:
            task = progress.add_task(said, total=None)
            return lambda done, total: progress.update(task, completed=done, total=total)

        yield teller


def show_proof(
    out: Console,
    err: Console,
    course: Course,
    chosen: Sequence[Assignment],
    wall: str,
    jobs: int,
    *,
    quick: bool,
    lines: bool,
    shard: Shard,
    page: Path,
) -> bool:
    """Prove, print a line for each assignment, write the page; returns whether all is proven."""
    proofs = []
    with _progress(err) as teller, open_pool(course, wall, jobs) as pool:
        for assignment in chosen:
            few = (lambda faults: len(faults) == 1) if quick else (lambda _: True)
            tell = teller(f"{assignment.id}: faults")
            proof = prove(course, assignment.id, pool, tell, few, shard)
            measured = measure(course, assignment.id, pool, teller(f"{assignment.id}: where"))
            stale = stale_shows(course.root, assignment.id, measured)
            proof = replace(proof, stale=tuple(stale))
            if not quick:
                tell = teller(f"{assignment.id}: mutants")
                tried = try_all_mutants(course, assignment.id, pool, tell, shard)
                proof = replace(proof, mutants=tried)
            if lines or not quick:
                tell = teller(f"{assignment.id}: lines")
                shards = (shard,) if lines else (shard, _SOME)
                sought = locate_wrong(course, assignment.id, pool, tell, *shards)
                proof = replace(proof, sought=sought)
            proofs.append(proof)
    write_proof(proofs, course.name, page)
    out.print(_proven(proofs))
    if shard != ALL:
        out.print(f"this is part {shard.number} of {shard.of} of what can be wrong")
    out.print(
        f"one fault costs {mean_costs(proofs):.1%} of the points of its assignment on average"
    )
    if lines_of := lines_told(proofs):
        out.print(str(lines_of))
    problems = problems_of(proofs)
    for problem in problems:
        out.print(f"[red]{escape(problem)}[/]", soft_wrap=True)
    out.print(f"page: {page}", soft_wrap=True)
    return not problems


def _proven(proofs: Sequence[Proof]) -> Table:
    table = Table(title="What the grader catches, and what it says", title_justify="left")
    table.add_column()
    for name in short_names(proofs):
        table.add_column(name, justify="right")
    for row in rows_told(proofs):
        table.add_row(row, *(str(each.figures[row]) for each in proofs))
    table.add_row(
        "points that one fault costs, mean", *(f"{mean_costs([each]):.1%}" for each in proofs)
    )
    return table


def _table(title: str, found: Sequence[Margin]) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold")
    for name in ("item", "tolerance", "right, at most", "", "wrong, at least", ""):
        table.add_column(name, justify="right" if "," in name or name == "tolerance" else "left")
    for each in found:
        style = None if each.holds else "red"
        right = "" if each.right is None else f"{each.right:.1e}"
        wrong = "" if each.wrong is None else f"{each.wrong:.1e}"
        numeric = right or wrong
        tolerance = f"{each.tolerance:.1e}" if numeric else "exact"
        cells = tolerance, right, each.right_name, wrong, each.wrong_name
        table.add_row(each.item, *cells, style=style)
    return table
