"""Notebooks to cells: the instructor's source, and a submission rebuilt on it.

A submission is read, never run, and never believed: of all that a student's file says only the
sources of code cells count. Which cell answers which stub is told by its grade_id; what was
given stays as we gave it; whatever else the student did to metadata, points, locked cells, ids
or stored outputs has no effect.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.asking import Cell
from autograder.notebooks.file import MAX_SOURCE_BYTES, read_notebook, short
from autograder.notebooks.finding import UnreadableSubmission
from autograder.notebooks.given import MODULE, given_names, given_source
from autograder.notebooks.magics import Magics
from autograder.notebooks.marks import ROLES
from autograder.notebooks.source import READY, Source, SourceCell

_MAX_NOTES = 50
_READY = SourceCell("code", "", "given", READY).grade_id


@dataclass(frozen=True)
class Submission:
    """What a student handed in, as cells to run; notes say what was set aside."""

    cells: tuple[Cell, ...]
    notes: tuple[str, ...]
    sha256: str


@dataclass
class _Reading:
    """What is kept while one file is read."""

    notes: list[str] = field(default_factory=list)
    magics: Magics = field(default_factory=Magics)

    def note(self, text: str) -> None:
        if text not in self.notes and len(self.notes) < _MAX_NOTES:
            self.notes.append(text)


def read_submission(path: Path, source: Source) -> Submission:
    """Read a student's .ipynb or percent-format .py and rebuild it on `source`.

    Raises UnreadableSubmission with a sentence for the student.
    """
    notebook, data = read_notebook(path)
    theirs = _assignment_of(notebook)
    if theirs is not None and theirs != source.assignment:
        raise UnreadableSubmission(
            f"this is the notebook of {short(theirs)!r}, handed in as {source.assignment!r}."
        )
    reading = _Reading()
    found = list(_code_cells(notebook["cells"], reading))
    cells = _rebuild(found, source, reading)
    return Submission(tuple(cells), tuple(reading.notes), hashlib.sha256(data).hexdigest())


def _assignment_of(notebook: dict[str, Any]) -> str | None:
    metadata = notebook.get("metadata")
    ours = metadata.get("autograder") if isinstance(metadata, dict) else None
    name = ours.get("assignment") if isinstance(ours, dict) else None
    return name if isinstance(name, str) else None


@dataclass(frozen=True)
class _Found:
    number: int  # in the student's notebook, from 1
    grade_id: str | None
    source: str


def _code_cells(cells: Sequence[Any], reading: _Reading) -> Iterator[_Found]:
    total = 0
    for number, cell in enumerate(cells, start=1):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        source = cell.get("source")
        if isinstance(source, list) and all(isinstance(line, str) for line in source):
            source = "".join(source)
        if not isinstance(source, str):
            reading.note(f"Cell {number} has no source that can be read; it was left out.")
            continue
        total += len(source)
        if total > MAX_SOURCE_BYTES:
            raise UnreadableSubmission("the code of its cells is too long for this assignment.")
        grade_id = _grade_id(cell.get("metadata"))
        if grade_id != _READY:
            yield _Found(number, grade_id, source)


def _grade_id(metadata: Any) -> str | None:
    if not isinstance(metadata, dict):
        return None
    for role in ROLES:  # a .py in the form of our own source
        if isinstance(metadata.get(role), str):
            return SourceCell("code", "", role, metadata[role]).grade_id
    nbgrader = metadata.get("nbgrader")
    found = nbgrader.get("grade_id") if isinstance(nbgrader, dict) else None
    return found if isinstance(found, str) else None


def _rebuild(found: Sequence[_Found], source: Source, reading: _Reading) -> list[Cell]:
    """Our cells in our order; the student's solutions in them, added cells behind their place."""
    ours = {cell.grade_id: cell for cell in source.cells if cell.role}
    answers: dict[str, _Found] = {}
    for each in found:
        if each.grade_id is not None and each.grade_id in ours:
            if each.grade_id in answers and ours[each.grade_id].role == "solution":
                reading.note(
                    f"Cells {answers[each.grade_id].number} and {each.number} both answer "
                    f"{ours[each.grade_id].name!r}; both were run, the later one last."
                )
            answers[each.grade_id] = each
    added: dict[str | None, list[Cell]] = {}
    place: str | None = None
    for each in found:
        if each.grade_id in answers and answers[each.grade_id] is each:
            place = each.grade_id
        elif each.grade_id not in ours or ours[each.grade_id].role == "solution":
            cell = Cell(f"number {each.number} (added)", _python(each, reading))
            added.setdefault(place, []).append(cell)
    cells = added.get(None, [])
    for one in source.cells:
        if one.role == "given":
            cells.append(Cell(one.name or "", one.source))
        elif one.role == "solution" and one.grade_id in answers:
            answer = answers[one.grade_id]
            cells.append(Cell(one.name or "", _python(answer, reading), solution=True))
        if one.grade_id is not None:
            cells += added.get(one.grade_id, [])
    return cells


def _python(cell: _Found, reading: _Reading) -> str:
    """The cell's source with magics and shell lines made harmless calls, each with a note."""
    source, lines = reading.magics.set_aside(cell.source)
    for line in lines:
        reading.note(f"Cell {cell.number}: {short(line)} was set aside.")
    return source


def modules_for(source: Source, more: Sequence[str] = ()) -> dict[str, str]:
    """What can be imported in a notebook of this assignment, by name; `more`: from `given`."""
    names = [*given_names(source), *more]
    return _MODULES | ({MODULE: given_source(source, names)} if names else {})


# Importable inside the walls: what a notebook has beyond Python, without effect.
_MODULES = {
    "checks": """
from contextlib import nullcontext as trace
def check(item=None): pass
def drawing(draw): return lambda *a, **k: None
""",
    "jupyter_names": """
class _Jupyter:
    def __getattr__(self, name):
        return lambda *args, **kwargs: None

BUILTINS = {"get_ipython": _Jupyter, "display": lambda *args, **kwargs: None}
""",
}
