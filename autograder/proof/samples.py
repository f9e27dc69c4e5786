"""A sample class: submissions of which it is known beforehand what they must get.

    solutions/<assignment>/right/     right, each in its own way: full marks
    solutions/<assignment>/wrong/     wrong
    solutions/<assignment>/hostile/   broken or hostile: the name of the file begins with the
                                      verdict of every item lost, and two underscores

Most are overlays: a percent-format file of the cells in which a notebook differs from the
reference. Its first line says what it is, and `# fails: ...` which items it loses, no others. Of a
wrong one, `# lines: ...` may say which line is wrong, word for word, once for each of them. A cell
with a role, `# %% solution="area"`, takes the place of that solution; one without is the student's
own, put behind the cell before it. A file that ends in .ipynb is handed in as it is.
Beside the notebook lies what the reference hands in (`handed_in` in course.yml); a folder in the
place of an overlay holds the overlay, as notebook.py, and the files to hand in instead.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from fnmatch import filter as matching
from pathlib import Path
from typing import Any, Literal

import jupytext
import nbformat

from autograder.course import (
    Assignment,
    Course,
    Result,
    UnknownIdError,
    Verdict,
    assignment_folder,
    samples_folder,
    source_path,
    text_of,
)
from autograder.notebooks import read_source
from autograder.release import notebook_of

Kind = Literal["right", "wrong", "stub", "broken", "hostile"]
STUB = "untouched_stub"
_FAILS = re.compile(r"^# fails: (.+)$", re.MULTILINE)
_LINES = re.compile(r"^# lines: *(.+?) *$", re.MULTILINE)
_MARKER = re.compile(r"^ *### (BEGIN|END) SOLUTION\n?", re.MULTILINE)
_WRONG_IN_DEMO = 10  # of each assignment, and those without which an item would be lost by nobody
_HARMFUL_IN_DEMO = (
    12  # broken and hostile, and of every verdict one: a loop without end takes seconds
)


@dataclass(frozen=True)
class Sample:
    """One submission: what is handed in, and what it must get.

    fails: the items that it loses; no other. verdict: of each of them; None: each has its own.
    """

    name: str
    about: str
    kind: Kind
    assignment: str
    data: bytes
    fails: frozenset[str] = frozenset()
    verdict: Verdict | None = None
    files: Mapping[str, bytes] = field(default_factory=dict)  # beside the notebook
    lines: frozenset[str] = frozenset()  # that are wrong in it, when it says so

    def misjudged(self, result: Result) -> str | None:
        """What it got that it should not, in words; None when all is as it must be."""
        kept = (Verdict.PASSED,) if self.kind == "right" else (Verdict.PASSED, Verdict.CARRIED)
        # What a mistake touches is lost, whether or not it is charged there.
        touched = {item for each in result.mistakes for item in each.items}
        lost = {
            each.item: each
            for each in result.items
            if each.verdict not in kept or each.item in touched
        }
        if self.kind == "wrong" and not self.fails:
            return "does not say what it loses, as in `# fails: <item>`"
        if more := lost.keys() - self.fails:
            return f"loses {', '.join(f'{name} ({lost[name].verdict})' for name in sorted(more))}"
        if fewer := self.fails - lost.keys():
            return f"does not lose {', '.join(sorted(fewer))}"
        for name, each in lost.items():
            if each.verdict is Verdict.CARRIED:
                continue
            if each.verdict is Verdict.INTERNAL or self.verdict not in (None, each.verdict):
                return f"is {each.verdict} at {name}, not {self.verdict or 'wrong'}: {each.message}"
        return None

    def write(self, folder: Path) -> Path:
        """Hand it in, in nbgrader's layout below `folder`; returns the file."""
        path = folder / self.name / self.assignment / f"{self.assignment}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.data)
        for name, data in self.files.items():
            path.with_name(name).write_bytes(data)
        return path


def sample_class(course: Course, assignment_id: str) -> list[Sample]:
    """The demo's class: all that is right, the stub, and some of the others."""
    samples = read_samples(course, assignment_id)
    wrong = [each for each in samples if each.kind == "wrong"]
    harmful = [each for each in samples if each.kind in ("broken", "hostile")]
    chosen = [
        *_spread(wrong, _WRONG_IN_DEMO, lambda each: each.fails),
        *_spread(harmful, _HARMFUL_IN_DEMO, lambda each: frozenset(filter(None, [each.verdict]))),
    ]
    names = {each.name for each in chosen}
    return [each for each in samples if each.kind in ("right", "stub") or each.name in names]


def _spread(
    samples: list[Sample], count: int, shows: Callable[[Sample], frozenset[str]]
) -> list[Sample]:
    """Some of them, from all over, such that all that any of them shows is shown by one."""
    chosen = [samples[at * len(samples) // count] for at in range(min(count, len(samples)))]
    shown = {what for each in chosen for what in shows(each)}
    for each in sorted(samples, key=lambda each: len(shows(each))):
        if not shows(each) <= shown:
            chosen.append(each)
            shown |= shows(each)
    return chosen


def read_samples(course: Course, assignment_id: str) -> list[Sample]:
    """Every sample of an assignment."""
    return list(_read(course, assignment_id))


def _read(course: Course, assignment_id: str) -> Iterator[Sample]:
    released = notebook_of(course, assignment_id)
    right = answered(course, assignment_id, released)
    assignment = course.assignment(assignment_id)
    every = frozenset(item.id for item in assignment.items)
    handed_in = handed_in_files(course, assignment_id)

    def overlay(path: Path, kind: Kind, name: str, verdict: Verdict | None = None) -> Sample:
        files = handed_in
        if path.is_dir():
            path, files = path / "notebook.py", _beside(path / "notebook.py")
        text = text_of(path)
        about = text.partition("\n")[0].removeprefix("# ")
        fails = _lost(path, text, assignment)
        try:
            data = as_saved(overlaid(right, text))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
        lines = frozenset(_LINES.findall(text))
        return Sample(name, about, kind, assignment_id, data, fails, verdict, files, lines)

    for path in sorted(samples_folder(course.root, assignment_id, "right").glob("*.py")):
        yield overlay(path, "right", path.stem)
    for path in sorted(samples_folder(course.root, assignment_id, "wrong").glob("*.py")):
        yield overlay(path, "wrong", path.stem)
    about = "Nothing filled in: the notebook as it was handed out."
    yield Sample(STUB, about, "stub", assignment_id, released, every, Verdict.MISSING)
    for path in sorted(samples_folder(course.root, assignment_id, "hostile").glob("*")):
        verdict, _, name = path.stem.partition("__")
        if path.suffix == ".py" or path.is_dir():
            yield overlay(path, "hostile", name, Verdict(verdict))
        elif path.suffix == ".ipynb":
            about = f"{name.replace('_', ' ').capitalize()}."
            data = path.read_bytes()
            yield Sample(name, about, "broken", assignment_id, data, every, Verdict(verdict))


def _lost(path: Path, text: str, assignment: Assignment) -> frozenset[str]:
    """The items that a sample says it loses."""
    found = _FAILS.search(text)
    patterns = filter(None, re.split(" *, *", found[1].strip())) if found else ()
    ids = [item.id for item in assignment.items]
    try:
        every = (matching(ids, each) or [assignment.item(each).id] for each in patterns)
        return frozenset(item for items in every for item in items)
    except UnknownIdError as error:
        line = text.count("\n", 0, found.start() if found else 0) + 1
        raise ValueError(f"{path}:{line}: # fails: {error}") from error


def answered(course: Course, assignment_id: str, released: bytes) -> Any:
    """The students' notebook with every stub answered as the reference does."""
    notebook = nbformat.reads(released.decode(), as_version=4)
    for cell in read_source(source_path(course.root, assignment_id)).cells:
        if cell.role in ("solution", "manual"):
            _find(notebook, cell.grade_id).source = _MARKER.sub("", cell.source)
    return notebook


def handed_in_files(course: Course, assignment_id: str) -> dict[str, bytes]:
    """What the reference hands in beside its notebook."""
    folder = assignment_folder(course.root, assignment_id)
    names = course.assignment(assignment_id).handed_in
    return {name: (folder / name).read_bytes() for name in names}


def _beside(notebook: Path) -> dict[str, bytes]:
    files = (path for path in sorted(notebook.parent.iterdir()) if path.is_file())
    return {path.name: path.read_bytes() for path in files if path != notebook}


def overlaid(notebook: Any, text: str) -> Any:
    """A copy of the notebook with the cells of an overlay in it."""
    notebook = deepcopy(notebook)
    place = 0  # where an added cell goes
    _, marker, rest = text.partition("# %%")
    cells = jupytext.reads(marker + rest, fmt="py:percent").cells if marker else []
    for number, cell in enumerate(cells):
        if name := cell.metadata.get("solution"):
            answer = _find(notebook, f"solution_{name}")
            answer.source = cell.source
            place = notebook.cells.index(answer)
        else:
            added = nbformat.v4.new_code_cell(cell.source, id=f"added_{number}")
            notebook.cells.insert(place, added)
        place += 1
    return notebook


def as_saved(notebook: Any) -> bytes:
    """The file that Jupyter would write."""
    return f"{nbformat.writes(notebook)}\n".encode()


def _find(notebook: Any, grade_id: str | None) -> Any:
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == grade_id:
            return cell
    raise ValueError(f"the notebook has no cell {grade_id!r}")
