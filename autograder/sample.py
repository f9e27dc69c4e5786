"""A sample class: submissions of which it is known beforehand what they must get.

    autograder/variants/<assignment>/   right, each in its own way: full marks
    tests/wrong/<assignment>/           wrong: a line `# fails: ...` names exactly the items lost
    tests/hostile/<assignment>/         broken or hostile: the name of the file begins with the
                                        verdict of every item lost, and two underscores

Most are overlays: a percent-format file of the cells in which a notebook differs from the
reference, after a first line that says what it is. A cell with a role, `# %% solution="mask"`,
takes the place of that solution; one without is the student's own, behind the cell before it. A
file that ends in .ipynb is handed in as it stands.
"""

import re
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from fnmatch import filter as matching
from pathlib import Path
from typing import Any, Literal

import jupytext
import nbformat

from autograder.course import Course
from autograder.grading import source_path
from autograder.notebook import read_source
from autograder.release import build
from autograder.result import Verdict

Kind = Literal["right", "wrong", "stub", "broken", "hostile"]
STUB = "untouched_stub"
_MARKER = re.compile(r"^ *### (BEGIN|END) SOLUTION\n?", re.MULTILINE)
_FAILS = re.compile(r"^# fails: (.+)$", re.MULTILINE)
# Of the broken and hostile ones, those that the demo shows; a loop without end costs it seconds.
_IN_DEMO = ()


@dataclass(frozen=True)
class Sample:
    """One submission: what is handed in, and what it must get.

    fails: the items that must be lost, and no others; None when they are not stated.
    verdict: the one that every lost item must have; None when each may have its own.
    """

    name: str
    about: str
    kind: Kind
    assignment: str
    data: bytes
    fails: frozenset[str] | None = frozenset()
    verdict: Verdict | None = None

    def write(self, folder: Path) -> Path:
        """Hand it in, in nbgrader's layout below `folder`; returns the file."""
        path = folder / self.name / self.assignment / f"{self.assignment}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.data)
        return path


def sample_class(course: Course, assignment_id: str) -> list[Sample]:
    """The demo's class: all that is right or wrong, the stub, some of the broken and hostile."""
    return [
        each
        for each in read_samples(course, assignment_id)
        if each.kind not in ("broken", "hostile") or each.name in _IN_DEMO
    ]


def read_samples(course: Course, assignment_id: str) -> list[Sample]:
    """Every sample of an assignment."""
    return list(_read(course, assignment_id))


def _read(course: Course, assignment_id: str) -> Iterator[Sample]:
    released = build(course, assignment_id).files[f"{assignment_id}.ipynb"]
    right = answered(course, assignment_id, released)
    tests = course.root / "tests"
    every_item = frozenset(item.id for item in course.assignment(assignment_id).items)

    def overlays(folder: Path) -> Iterator[tuple[str, str, str, bytes]]:
        for path in sorted((folder / assignment_id).glob("*.py")):
            text = path.read_text(encoding="utf-8")
            about = text.partition("\n")[0].removeprefix("# ")
            yield path.stem, text, about, as_saved(overlaid(right, text))

    for name, _, about, data in overlays(Path(__file__).with_name("variants")):
        yield Sample(name, about, "right", assignment_id, data)
    for name, text, about, data in overlays(tests / "wrong"):
        fails = frozenset(re.split(", *", _FAILS.search(text)[1]))  # type: ignore[index]
        yield Sample(name, about, "wrong", assignment_id, data, fails)
    about = "Nothing filled in: the notebook as it was handed out."
    yield Sample(STUB, about, "stub", assignment_id, released, every_item, Verdict.MISSING)
    for stem, _, about, data in overlays(tests / "hostile"):
        verdict, _, name = stem.partition("__")
        yield _hostile(name, about, "hostile", assignment_id, data, Verdict(verdict))
    for path in sorted((tests / "hostile" / assignment_id).glob("*.ipynb")):
        verdict, _, name = path.stem.partition("__")
        about = f"{name.replace('_', ' ').capitalize()}."
        yield _hostile(name, about, "broken", assignment_id, path.read_bytes(), Verdict(verdict))


def _hostile(
    name: str, about: str, kind: Kind, assignment: str, data: bytes, verdict: Verdict
) -> Sample:
    fails = frozenset() if verdict is Verdict.PASSED else None
    return Sample(name, about, kind, assignment, data, fails, verdict)


def answered(course: Course, assignment_id: str, released: bytes) -> Any:
    """The students' notebook with every stub answered as the reference does."""
    notebook = nbformat.reads(released.decode(), as_version=4)
    source = read_source(source_path(course.root, assignment_id))
    for cell in source.cells:
        if cell.role == "solution":
            _find(notebook, cell.name).source = _MARKER.sub("", cell.source)
    return notebook


def overlaid(notebook: Any, text: str) -> Any:
    """A copy of the notebook with the cells of an overlay in it."""
    notebook = deepcopy(notebook)
    place = 0  # where an added cell goes
    cells = jupytext.reads(text[text.index("# %%") :], fmt="py:percent").cells
    for number, cell in enumerate(cells):
        if name := cell.metadata.get("solution"):
            answer = _find(notebook, name)
            answer.source = cell.source
            place = notebook.cells.index(answer) + 1
        else:
            added = nbformat.v4.new_code_cell(cell.source, id=f"added_{number}")
            notebook.cells.insert(place, added)
            place += 1
    return notebook


def as_saved(notebook: Any) -> bytes:
    """The file that Jupyter would write."""
    return f"{nbformat.writes(notebook)}\n".encode()


def _find(notebook: Any, solution: str | None) -> Any:
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == f"solution_{solution}":
            return cell
    raise ValueError(f"the notebook has no solution cell {solution!r}")
