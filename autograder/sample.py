"""A sample class: submissions of which it is known beforehand what they must get.

    autograder/variants/<assignment>/   right, each in its own way: full marks
    tests/wrong/<assignment>/           wrong
    tests/hostile/<assignment>/         broken or hostile: the name of the file begins with the
                                        verdict of every item lost, and two underscores

Most are overlays: a percent-format file of the cells in which a notebook differs from the
reference. Its first line says what it is, and `# fails: ...` which items it loses, no others. A
cell with a role, `# %% solution="mask"`, takes the place of that solution; one without is the
student's own, put behind the cell before it. A file that ends in .ipynb is handed in as it is.
Beside the notebook lies what the reference hands in, such as trained weights; a folder in the
place of an overlay holds the overlay, as notebook.py, and the files to hand in instead.
"""

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from fnmatch import filter as matching
from math import ceil
from pathlib import Path
from typing import Any, Literal

import jupytext
import nbformat

from autograder.course import Course
from autograder.grading import source_path
from autograder.release import build
from autograder.result import Verdict
from autograder.source import read_source

Kind = Literal["right", "wrong", "stub", "broken", "hostile"]
STUB = "untouched_stub"
_FAILS = re.compile(r"^# fails: (.+)$", re.MULTILINE)
_MARKER = re.compile(r"^ *### (BEGIN|END) SOLUTION\n?", re.MULTILINE)
# Of the broken and hostile ones, those that the demo shows: each loop without end takes seconds.
# A name stands for the samples of that name in every assignment that has one.
_IN_DEMO = (
    *("truncated", "a_web_page", "another_assignment", "no_cell_is_an_object"),
    *("comparisons_replaced_to_hide_zeros", "exits_in_causal_mask", "fork_bomb", "getattr"),
    *("infinite_loop_in_causal_mask", "kills_the_server", "list_without_end", "many_files"),
    *("forged_answers", "reads_what_is_not_its_own", "segmentation_fault", "nan"),
    *("linear_replaced", "nan_parameters", "returns_itself", "state_dict_lies", "torch_inside"),
    *("a_module_that_returns_itself", "buffer_that_is_none", "loads_nan", "sine_replaced"),
    *("encoder_layer_of_torch", "no_module", "returns_the_module", "state_dict_that_lies"),
    *("forward_returns_the_module", "watching_replaced"),
    *("cross_entropy_module", "nan_loss", "train_never_ends"),
    *("weights_left_out", "weights_of_a_stranger", "weights_pickled"),
)
_WRONG_IN_DEMO = 11  # of each assignment, and those without which an item would be lost by nobody


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
    wrong = _spread([each for each in samples if each.kind == "wrong"])
    return [
        each
        for each in samples
        if each.kind in ("right", "stub") or each in wrong or each.name in _IN_DEMO
    ]


def _spread(wrong: list[Sample]) -> list[Sample]:
    """Some of the wrong ones, from all over, such that every item is lost by one of them."""
    chosen = wrong[:: ceil(len(wrong) / _WRONG_IN_DEMO)]
    lost = {item for each in chosen for item in each.fails}
    for each in sorted(wrong, key=lambda each: len(each.fails)):
        if not each.fails <= lost:
            chosen.append(each)
            lost |= each.fails
    return chosen


def read_samples(course: Course, assignment_id: str) -> list[Sample]:
    """Every sample of an assignment."""
    return list(_read(course, assignment_id))


def _read(course: Course, assignment_id: str) -> Iterator[Sample]:
    released = build(course, assignment_id).files[f"{assignment_id}.ipynb"]
    right = answered(course, assignment_id, released)
    items = [item.id for item in course.assignment(assignment_id).items]
    every = frozenset(items)
    handed_in = _files(source_path(course.root, assignment_id).with_suffix(""))

    def overlay(path: Path, kind: Kind, name: str, verdict: Verdict | None = None) -> Sample:
        files = handed_in
        if path.is_dir():
            path, files = path / "notebook.py", _files(path)
        text = path.read_text(encoding="utf-8")
        about = text.partition("\n")[0].removeprefix("# ")
        found = _FAILS.search(text)
        patterns = re.split(", *", found[1]) if found else []
        fails = frozenset(item for pattern in patterns for item in matching(items, pattern))
        data = as_saved(overlaid(right, text))
        return Sample(name, about, kind, assignment_id, data, fails, verdict, files)

    tests = course.root / "tests"
    for path in sorted(Path(__file__).parent.glob(f"variants/{assignment_id}/*.py")):
        yield overlay(path, "right", path.stem)
    for path in sorted(tests.glob(f"wrong/{assignment_id}/*.py")):
        yield overlay(path, "wrong", path.stem)
    about = "Nothing filled in: the notebook as it was handed out."
    yield Sample(STUB, about, "stub", assignment_id, released, every, Verdict.MISSING)
    for path in sorted(tests.glob(f"hostile/{assignment_id}/*")):
        verdict, _, name = path.stem.partition("__")
        if path.suffix == ".py" or path.is_dir():
            yield overlay(path, "hostile", name, Verdict(verdict))
        elif path.suffix == ".ipynb":
            about = f"{name.replace('_', ' ').capitalize()}."
            data = path.read_bytes()
            yield Sample(name, about, "broken", assignment_id, data, every, Verdict(verdict))


def answered(course: Course, assignment_id: str, released: bytes) -> Any:
    """The students' notebook with every stub answered as the reference does."""
    notebook = nbformat.reads(released.decode(), as_version=4)
    for cell in read_source(source_path(course.root, assignment_id)).cells:
        if cell.role in ("solution", "manual"):
            _find(notebook, cell.grade_id).source = _MARKER.sub("", cell.source)
    return notebook


def _files(folder: Path) -> dict[str, bytes]:
    """What a folder has to be handed in beside a notebook."""
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.safetensors"))}


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
