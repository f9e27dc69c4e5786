"""nbgrader's own road to the same grades: `nbgrader autograde` and the formgrader's button.

Theory of operation. nbgrader converts every submission twice: to a clean notebook in autograded/,
and then to one whose cells a kernel has run, from whose outputs it reads the scores. In
`nbgrader_config.py` we take the place of three parts of that. `Submissions` reads notebooks, and
what it hands on is always our release with the student's answers in it: flags, points, ids and
outputs of theirs never get further, and a file that cannot be read is a notebook without answers,
not the end of the run. `Grade` stands where a kernel would run: it grades what was handed in, as
`autograder grade` does, and writes each item's score and message as the output of its cell, where
nbgrader's own SaveAutoGrades finds them. All else (gradebook, manual grades, late penalties,
feedback) is nbgrader's.

A submission without a score, which is our fault and not the student's, fails: nbgrader says so,
keeps no autograded notebook, exits with 1, and the gradebook asks for a person.
"""

import atexit
import glob
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_output
from nbgrader import utils
from nbgrader.api import Gradebook
from nbgrader.converters.base import NbGraderException
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.checking import ChecksBroken
from autograder.course import (
    Assignment,
    ItemResult,
    ManifestError,
    Result,
    UnknownIdError,
    read_course,
    read_secret,
)
from autograder.export import (
    Card,
    GradebookError,
    as_text,
    cards_of,
    evidence,
    line,
    record,
    told_in,
)
from autograder.grading import grade, limits_of, prepare
from autograder.nbgrader.rebuilt import read_cells, rebuild
from autograder.sandbox.host import Server, ServerFailed
from autograder.sandbox.walls import NoWalls, choose

__all__ = ["Grade", "NeedsStaff", "Submissions"]

# What staff can mend: it ends the run with a sentence, before anybody is graded.
_EXPECTED = (
    *(ManifestError, UnknownIdError, ChecksBroken, NoWalls, ServerFailed, GradebookError),
    *(OSError, ValueError),
)


class NeedsStaff(Exception):
    """A submission has no score, for which the grader is to blame."""


class Desk:
    """What grading an assignment takes: its exam, and a server behind walls."""

    def __init__(self, root: Path, assignment_id: str) -> None:
        self.root = root
        self.course = read_course(root)
        self.exam = prepare(self.course, assignment_id, read_secret(root))
        self.server = Server(choose(), limits_of(self.exam.assignment))

    def grade(self, student: str, handed_in: Path) -> Result:
        """Grade what a student handed in; the result file, which is the evidence, tells all."""
        assignment = self.exam.assignment
        result = grade(student, handed_in, self.exam, self.server)
        result.write(self.root / "results" / assignment.id / f"{student}.json")
        return result.told(assignment.feedback)


class _Desks:
    """One desk at a time: kept for a class, and from one click in the formgrader to the next."""

    def __init__(self) -> None:
        self._open: Desk | None = None
        self._of: object = None

    def desk(self, root: Path, assignment_id: str) -> Desk:
        """The open desk, when it is of this assignment and the course is what it was then."""
        files = (root / "course.yml", *sorted(root.glob("solutions/**/*")))
        of = (
            root,
            assignment_id,
            read_secret(root),
            [(each, each.stat().st_mtime_ns) for each in files],
        )
        if self._open is None or self._of != of:
            self.close()
            self._open, self._of = Desk(root, assignment_id), of
        return self._open

    def close(self) -> None:
        if self._open is not None:
            self._open.server.close()
            self._open = None


_desks = _Desks()
atexit.register(_desks.close)


class Submissions(NotebookExporter):  # type: ignore[misc] # nbconvert ships no types
    """Reads notebooks as our release with the student's answers in it."""

    def __init__(self, **kwargs: Any) -> None:
        """Open the desk and bring the assignment into the gradebook, once for a run."""
        super().__init__(**kwargs)
        self.coursedir = self.parent.coursedir
        root, name = Path(self.coursedir.root), self.coursedir.assignment_id
        release = root / "assignments" / name / f"{name}.ipynb"
        try:
            self.desk = _desks.desk(root, name)
            record([], self.desk.exam.assignment, release, self.coursedir.db_url)
            self._release = _worth_what_the_manifest_says(release, self.desk.exam.assignment)
        except _EXPECTED as error:
            self.log.error("%s", error)
            raise NbGraderException(str(error)) from error
        self._figures = sorted(release.parent.glob("figures/*"))
        self._arrange(self.parent.assignments)

    def _arrange(self, assignments: dict[str, list[str]]) -> None:
        """Settle what nbgrader does with a folder before it reads a notebook there."""
        links = set()
        for folder in assignments:
            # It passes over every other name; `autograder grade` takes the only notebook there.
            assignments[folder] = [f"{folder}/{self.coursedir.assignment_id}.ipynb"]
            # It copies what lies beside it, and would follow links, to the secret for example.
            beside = Path(folder).rglob("*")
            links |= {glob.escape(each.name) for each in beside if not _is_regular(each)}
        self.coursedir.ignore = sorted({*self.coursedir.ignore, *links})

    def from_filename(self, filename: str, resources: Any = None, **kwargs: Any) -> tuple[str, Any]:
        """Read a notebook: the one handed in, or what has become of it in autograded/."""
        path = Path(filename)
        notebook = rebuild(self._release, read_cells(path))
        resources["metadata"] = {"name": path.stem, "path": str(path.parent)}
        resources["outputs"] = self._missing_figures(resources["nbgrader"])
        found: tuple[str, Any] = self.from_notebook_node(notebook, resources, **kwargs)
        return found

    def _missing_figures(self, about: dict[str, str]) -> dict[str, bytes]:
        """The pictures of the story that were not handed in along with the notebook."""
        student, name = about["student"], about["assignment"]
        there = self.coursedir.format_path(self.coursedir.autograded_directory, student, name)
        names = {f"figures/{path.name}": path for path in self._figures}
        return {
            name: path.read_bytes()
            for name, path in names.items()
            if not Path(there, name).exists()
        }


class Grade(NbGraderPreprocessor):  # type: ignore[misc]
    """Grades in the place of a kernel; what `--no-execute` switches off is not this."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Write each item's score and message into its cell. Raises NeedsStaff."""
        about, coursedir = resources["nbgrader"], self.parent.coursedir
        student, name = about["student"], about["assignment"]
        submitted = coursedir.format_path(coursedir.submitted_directory, student, name)
        result = self.parent.desk.grade(student, Path(submitted))
        if result.needs_staff:
            _ask_for_staff(result, coursedir.db_url)
            found = {item.message: None for item in result.items if item.score is None}
            raise NeedsStaff(f"{name} of {student} has no score: " + "; ".join(map(str, found)))
        cards = cards_of(result, self.parent.desk.exam.assignment.feedback)
        told = told_in(cards)
        items = {item.item: item for item in result.items}
        for cell in nb.cells:
            if utils.is_grade(cell) and not utils.is_solution(cell):
                item = items[cell.metadata.nbgrader.grade_id]
                cell.outputs = _outputs(item, told.get(item.item, []))
        mistakes = [as_text(each, result.max_score) for each in cards]
        for title, said in (("Notes", list(result.notes)), ("Mistakes", mistakes)):
            if said:
                text = new_output("stream", name="stdout", text="\n\n".join(said) + "\n")
                cell = new_code_cell(f"# {title}", id=title.lower(), outputs=[text])
                nb.cells.insert(0, cell)
        return nb, resources


def _is_regular(path: Path) -> bool:
    return not path.is_symlink() and (path.is_file() or path.is_dir())


def _worth_what_the_manifest_says(path: Path, assignment: Assignment) -> NotebookNode:
    release = nbformat.read(path, as_version=4)
    points = {part.id: part.points for part in (*assignment.items, *assignment.manual)}
    for cell in filter(utils.is_grade, release.cells):
        cell.metadata.nbgrader.points = points[cell.metadata.nbgrader.grade_id]
    return release


def _outputs(item: ItemResult, cards: Sequence[Card]) -> list[NotebookNode]:
    """The words, then the number: nbgrader takes the first result that a cell shows as its score.

    Were there none, or none that is a number, that would be full marks. cards: the mistakes in
    it, which are told in full at the top.
    """
    assert item.score is not None
    said = [line(item, cards)]
    said += [f"Mistake {each.number}: {each.heading}" for each in cards]
    said += evidence(item, bool(cards))
    score = {"text/plain": repr(float(item.score))}
    return [
        new_output("stream", name="stdout", text="\n".join(said) + "\n"),
        new_output("execute_result", data=score),
    ]


def _ask_for_staff(result: Result, db_url: str) -> None:
    """Let the gradebook show that somebody must look; earlier scores stay."""
    name = result.assignment
    with Gradebook(db_url) as gradebook:
        for item in result.items:
            grade = gradebook.find_grade(item.item, name, name, result.student)
            grade.needs_manual_grade = True
        gradebook.db.commit()
