"""The verb that finds programs to be read side by side."""

from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from autograder.cli.app import CourseFolder, app
from autograder.cli.common import err, fail, handed_in, out, problems_told, read_nearest, shown
from autograder.course import Result, read_roster, source_path
from autograder.export import read_settings
from autograder.grading import HandedIn, find_class
from autograder.notebooks import UnreadableSubmission, find_submission, read_source
from autograder.similar import Skipped, Work, compare, handed_out, read_work, write_similar_page


@app.command()
def similar(
    assignment: Annotated[str, typer.Argument(help="Which assignment, as in course.yml.")],
    submitted: Annotated[
        Path | None,
        typer.Option(help="Folder of STUDENT/ASSIGNMENT/.", show_default="submitted"),
    ] = None,
    also: Annotated[
        list[Path] | None,
        typer.Option(help="A folder of an earlier class; again for another."),
    ] = None,
    results: Annotated[
        Path | None, typer.Option(help="Where result files are.", show_default="results")
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="How many pairs are shown.")] = 20,
    output: Annotated[
        Path | None,
        typer.Option(help="Where the page goes.", show_default="results/ASSIGNMENT.similar.html"),
    ] = None,
    course: CourseFolder = Path(),
) -> None:
    """Find programs that share what hardly anybody else has, to be read side by side.

    It accuses nobody: right answers are alike, and there are good reasons to share what is rare.
    Nothing is run, and nothing but the page is written.

    Example: `autograder similar ps1 --also ../last_year/submitted`
    """
    with problems_told():
        found = read_nearest(course)
        about = found.assignment(assignment)  # a wrong name first
        source = read_source(source_path(found.root, assignment))
        given = handed_out(source, found.root / "assignments" / assignment / f"{assignment}.ipynb")
        folder, roster = results or found.root / "results", read_roster(found.root)
        class_: list[tuple[str | None, HandedIn]] = []
        for where in (submitted, *(also or ())):
            if where is None:
                there = handed_in(read_settings(found.root), assignment)
            elif where.is_dir():
                there = find_class(where, assignment)
            else:
                fail(f"{where} is not a folder: name one of <student>/{assignment}/ folders")
            if not there:
                fail(f"nobody handed in {assignment} in {where or 'submitted'}/")
            earlier = str(where) if class_ else None
            class_ += ((earlier, each) for each in there)
        works, skipped = list[Work](), list[Skipped]()
        columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
        with Progress(*columns, TimeElapsedColumn(), console=err) as progress:
            for earlier, each in progress.track(class_, description=f"reading {assignment}"):
                file = folder / assignment / f"{each.student}.json"
                result = Result.read(file) if earlier is None and file.is_file() else None
                try:
                    path = find_submission(each.path, assignment)
                    name = roster.name_of(each.student)
                    works.append(
                        read_work(each.student, path, source, given, result, earlier, name)
                    )
                except UnreadableSubmission as error:
                    where_ = each.student if earlier is None else f"{earlier}/{each.student}"
                    skipped.append(Skipped(where_, str(error)))
        compared = compare(works, top)
        page = output or folder / f"{assignment}.similar.html"
        write_similar_page(compared, about, found.name, given, works, skipped, page)
        table = Table("number", "programs", box=None)
        for pair in compared.pairs:
            names = Text(f"{pair.left.label} and {pair.right.label}")
            table.add_row(f"{pair.score:.1f}", names)
        if compared.pairs:
            out.print(table)
        pairs = "1 pair" if len(compared.pairs) == 1 else f"{len(compared.pairs)} pairs"
        out.print(f"{len(works)} compared, {len(skipped)} skipped, {pairs}")
        out.print(f"page: {shown(page)}", soft_wrap=True)
