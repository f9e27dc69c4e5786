"""The instructor's source becomes what students get: notebook, checks, public cases, figures.

nbgrader itself makes the students' version (solutions cleared, cells locked, checksums), in a
clean folder that holds nothing but what may be released. The result is scanned for leaks before
it takes the place of the old release, whole or not at all. The same source gives the same bytes,
whichever processor computed the numbers in them.
"""

import json
import logging
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import nbformat
from nbgrader.converters import GenerateAssignment
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from autograder.course import (
    ANSWERS,
    PUBLIC,
    Assignment,
    Course,
    UnknownIdError,
    assignment_folder,
    handed_out_path,
    read_answers,
    source_path,
)
from autograder.grading import prepare
from autograder.handout import checks as handout_checks
from autograder.notebooks import (
    MODULE,
    Source,
    SourceCell,
    given_names,
    given_source,
    place_of,
    read_source,
)
from autograder.release.cases import as_text, recorded_cases
from autograder.release.leaks import leaks
from autograder.release.needs import for_people
from autograder.release.ready import ready_cell
from autograder.release.refused import refused
from autograder.release.settled import settled
from autograder.release.story import with_facts, with_points

_CASES = "checks/cases.json"
_FIGURE = re.compile(r"!\[[^]]*\]\((figures/[^)\s]+)", re.DOTALL)


class ReleaseError(Exception):
    """The release cannot be built or may not leave the house; says what and where."""


@dataclass(frozen=True)
class Built:
    """What a release holds: the path of each file in it, and its bytes."""

    files: dict[str, bytes]

    def settled_on(self, folder: Path) -> "Built":
        """The release with the recorded numbers of `folder`, where they are within tolerance."""
        try:
            new, old = self.files[_CASES], (folder / _CASES).read_bytes()
            cases = settled(json.loads(new), json.loads(old))
        except (KeyError, OSError, ValueError):  # there is none, or it was cut off
            return self
        return Built(self.files | {_CASES: as_text(cases).encode()})

    def differs_from(self, folder: Path) -> list[str]:
        """The names that are missing, stale or extra in `folder`, whichever machine built it."""
        files = self.settled_on(folder).files
        there = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }
        names = sorted(files.keys() | there.keys())
        return [name for name in names if files.get(name) != there.get(name)]

    def write(self, folder: Path) -> None:
        """Put the release in the place of `folder`, whole or not at all; its numbers stay."""
        files = self.settled_on(folder).files
        folder.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
        try:
            for name, data in files.items():
                (fresh / name).parent.mkdir(parents=True, exist_ok=True)
                (fresh / name).write_bytes(data)
            fresh.chmod(0o755)
            if folder.exists():
                old = fresh.with_name(fresh.name + ".old")
                folder.rename(old)
                try:
                    fresh.rename(folder)
                except BaseException:
                    old.rename(folder)
                    raise
                shutil.rmtree(old)
            else:
                fresh.rename(folder)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)


def build(course: Course, assignment_id: str, secret: str | None = None) -> Built:
    """Build an assignment's release in memory. Raises ReleaseError.

    secret: the course's, when there is one, so that the scan can look for it.
    """
    exam = prepare(course, assignment_id, PUBLIC)
    if slips := refused(course, exam):
        raise ReleaseError("\n".join(slips))
    beside = _beside(course, exam.source)
    files = beside | {_CASES: recorded_cases(exam).encode()}
    files |= for_people(course, exam.assignment, files)
    files[f"{assignment_id}.ipynb"] = b""
    open_to_all = exam.assignment.answers == "with_notebook"
    answers = () if open_to_all else read_answers(course.root, assignment_id)
    told = [each for answer in answers for each in answer.paragraphs]
    built = Built(files | _generate(course, exam.source, beside, files))
    problems = leaks(built.files, exam.source, {*files}, secret, told)
    if problems:
        raise ReleaseError("the release would give away:\n  " + "\n  ".join(problems))
    return built


def notebook_of(course: Course, assignment_id: str) -> bytes:
    """The students' notebook alone, for which nothing is computed. Raises ReleaseError.

    Whoever makes submissions of it needs no recorded numbers beside it, which take most of the
    time of a release, nor the scan for leaks.
    """
    source = read_source(source_path(course.root, assignment_id))
    made = _generate(course, source, _beside(course, source), {})
    return made[f"{assignment_id}.ipynb"]


def _beside(course: Course, source: Source) -> dict[str, bytes]:
    """What lies beside the notebook and is not computed; numbers that are come to `_CASES`."""
    assignment = course.assignment(source.assignment)
    story = "\n".join(cell.source for cell in source.cells if cell.kind == "markdown")
    files = {
        f"checks/{path.name}": path.read_bytes()
        for path in sorted(Path(handout_checks.__file__).parent.glob("*.py"))
    }
    names = given_names(source)
    if names:
        files[f"{MODULE}.py"] = given_source(source, names).encode()
    folder = assignment_folder(course.root, assignment.id)
    shown = {name: folder / name for name in _FIGURE.findall(story)}
    listed = {name: handed_out_path(course.root, assignment.id, name) for name in assignment.files}
    for name, path in (shown | listed).items():
        if not path.is_file():
            where = "the story of" if name in shown else "course.yml for"
            verb = "shows" if name in shown else "lists"
            raise ReleaseError(f"{where} {assignment.id} {verb} {name}, which is not there")
        files[name] = path.read_bytes()
    if assignment.answers == "with_notebook" and read_answers(course.root, assignment.id):
        files[ANSWERS] = (folder / ANSWERS).read_bytes()
    return files


# The notebook, by nbgrader


def _generate(
    course: Course, source: Source, beside: Iterable[str], files: Mapping[str, bytes]
) -> dict[str, bytes]:
    """What nbgrader's generate_assignment makes of a clean folder with these files.

    beside: the names of what its first cell expects beside the notebook.
    """
    name = source.assignment
    assignment, handout = course.assignment(name), course.handout
    ready = ready_cell(source, beside, handout.packages, handout.download)
    with tempfile.TemporaryDirectory(prefix="autograder-release-") as root:
        folder = Path(root) / "source" / name
        folder.mkdir(parents=True)
        for path, data in files.items():
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_bytes(data)
        made = source_notebook(_with_first(ready, source), assignment, course.late_days)
        nbformat.write(made, folder / f"{name}.ipynb")
        config = Config()
        config.CourseDirectory.root = root
        config.GenerateAssignment.no_database = True  # a clean folder has no gradebook
        config.SaveCells.enabled = False
        logger = logging.getLogger("autograder.release")
        directory = CourseDirectory(config=config, assignment_id=name)
        converter = GenerateAssignment(coursedir=directory, config=config, log=logger)
        try:
            converter.start()
        except NbGraderException as error:
            raise ReleaseError(f"nbgrader refuses {name}: {error}") from error
        out = Path(root) / "release" / name
        return {
            path.relative_to(out).as_posix(): path.read_bytes()
            for path in sorted(out.rglob("*"))
            if path.is_file()
        }


def _with_first(ready: SourceCell, source: Source) -> Source:
    """The source with this cell before all other code."""
    cells = source.cells
    at = next((at for at, each in enumerate(cells) if each.kind == "code"), len(cells))
    return replace(source, cells=(*cells[:at], ready, *cells[at:]))


def source_notebook(
    source: Source, assignment: Assignment, late_days: int = 0
) -> nbformat.NotebookNode:
    """The source as nbgrader wants it: metadata, points and ids from their one home."""
    part_of = {"check": assignment.item, "manual": assignment.by_hand}
    for cell in source.cells:
        if cell.role in part_of:
            try:
                part_of[cell.role](str(cell.name))
            except UnknownIdError as error:
                at = place_of(source.path, cell.role, str(cell.name))
                raise ReleaseError(f"{at}: {error}") from error
    for role, parts in (("check", assignment.items), ("manual", assignment.manual)):
        names = [cell.name for cell in source.cells if cell.role == role]
        if lost := [each.id for each in parts if each.id not in names]:
            raise ReleaseError(
                f'{source.assignment}: no cell has {role}="{lost[0]}", which stands in course.yml'
            )
    cells = []
    story = next((cell for cell in source.cells if cell.kind == "markdown"), None)
    for number, cell in enumerate(source.cells):
        new = nbformat.v4.new_markdown_cell if cell.kind == "markdown" else None
        new = new or nbformat.v4.new_code_cell
        text = cell.source
        if cell.kind == "markdown" and cell.role is None:
            text = with_points(text, assignment)
            text = with_facts(text, assignment, late_days) if cell is story else text
        node = new(text, id=(cell.grade_id or f"text_{number}").replace(".", "_"))
        if cell.grade_id:
            node.metadata["nbgrader"] = _nbgrader(cell, assignment)
        elif cell.kind == "code":
            raise ReleaseError(
                f"{source.assignment}: the code cell {cell.source[:40]!r} has no role"
            )
        cells.append(node)
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook.metadata = {
        "autograder": {"assignment": assignment.id},
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return notebook


def _nbgrader(cell: SourceCell, assignment: Assignment) -> dict[str, Any]:
    metadata: dict[str, Any] = {
        "grade_id": cell.grade_id,
        "schema_version": 3,
        "grade": cell.role in ("check", "manual"),
        "solution": cell.role in ("solution", "manual"),
        "locked": cell.role not in ("solution", "manual"),
        "task": False,
    }
    if cell.role == "check":
        metadata["points"] = assignment.item(str(cell.name)).points
    elif cell.role == "manual":
        metadata["points"] = assignment.by_hand(str(cell.name)).points
    return metadata
