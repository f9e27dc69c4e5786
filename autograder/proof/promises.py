"""The gate before anything is published: each promise of the course, tried, with its figure."""

import os
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import nbclient
import nbformat
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbgrader.nbgraderformat import MetadataValidator
from nbgrader.preprocessors import CheckCellMetadata

from autograder.course import Assignment, Course, Result, Verdict, counted
from autograder.grading import Exam, limits_of, prepare
from autograder.handout.checks.drawing import NOTHING
from autograder.proof.links import look_at_links
from autograder.proof.pasting import pasted
from autograder.proof.promised import side_by_side, unkept
from autograder.proof.samples import STUB, Sample, answered, as_saved, read_samples
from autograder.proof.tolerances import FACTOR, margins
from autograder.proof.trying import grade_samples
from autograder.release import Built, build
from autograder.sandbox.host import Server

_KERNEL_SECONDS = 1200  # for one cell: some train a model in one
_TOLD = 5  # samples that are not as they must be
_SECRET = "what verification draws its inputs from"  # anything will do, and always the same


@dataclass(frozen=True)
class Finding:
    """One promise of one assignment: what was found, and what is wrong with it, if anything."""

    assignment: str
    promise: str
    figure: str
    problem: str | None = None


def try_promises(
    course: Course,
    assignment: Assignment,
    wall: str,
    jobs: int,
    tell: Callable[[str], None],
) -> Iterator[Finding]:
    """Try every promise on an assignment, with so many workers; `tell` hears what is done.

    Raises what `prepare` and `build` do.
    """
    tell(f"{assignment.id}: the reference, and the release")
    gate = _Gate(course, assignment, wall, jobs, tell)
    for promise, look in _PROMISES.items():
        tell(f"{assignment.id}: {promise}")
        figure, problem = look(gate)
        yield Finding(assignment.id, promise, figure, problem)


class _Gate:
    """One assignment under verification."""

    def __init__(
        self,
        course: Course,
        assignment: Assignment,
        wall: str,
        jobs: int,
        tell: Callable[[str], None],
    ) -> None:
        self.course = course
        self.assignment = assignment
        self.wall = wall
        self.jobs = jobs
        self._tell = tell
        self.exam: Exam = prepare(course, assignment.id, _SECRET)
        self.built: Built = build(course, assignment.id)  # scanned for leaks
        self.samples = read_samples(course, assignment.id)

    @property
    def notebook_name(self) -> str:
        return f"{self.assignment.id}.ipynb"

    @cached_property
    def reference(self) -> Sample:
        """The released notebook with the reference's answers, as it would be handed in."""
        released = self.built.files[self.notebook_name]
        data = as_saved(answered(self.course, self.assignment.id, released))
        right = next((each for each in self.samples if each.kind == "right"), None)
        files = right.files if right else {}
        return Sample("reference", "", "right", self.assignment.id, data, files=files)

    @cached_property
    def graded(self) -> dict[str, Result]:
        """What the reference and every sample got."""

        def hear(done: int, of: int) -> None:
            self._tell(f"{self.assignment.id}: {done} of {of} samples")

        every = (self.reference, *self.samples)
        return grade_samples(self.course, self.assignment.id, every, self.wall, self.jobs, hear)


_Found = tuple[str, str | None]


def _reference_full(gate: _Gate) -> _Found:
    result = gate.graded["reference"]
    figure = f"{result.score:g} of {result.max_score:g}" if result.score is not None else "none"
    lost = [each for each in result.items if each.verdict is not Verdict.PASSED]
    return figure, f"{lost[0].item} is {lost[0].verdict}: {lost[0].message}" if lost else None


def _stub_missing(gate: _Gate) -> _Found:
    result = gate.graded[STUB]
    others = [each for each in result.items if each.verdict is not Verdict.MISSING]
    problem = f"{others[0].item} is {others[0].verdict}: {others[0].message}" if others else None
    return f"{len(result.items) - len(others)} of {len(result.items)} items", problem


def _samples_as_told(gate: _Gate) -> _Found:
    counts = Counter(each.kind for each in gate.samples if each.name != STUB)
    judged = ((each.name, each.misjudged(gate.graded[each.name])) for each in gate.samples)
    wrong = [f"{name} {said}" for name, said in judged if said]
    figure = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    if not counts["right"]:
        return figure, "there is no right variant"
    return figure, f"{len(wrong)} got something else: {'; '.join(wrong[:_TOLD])}" if wrong else None


def _pasted_earns_nothing(gate: _Gate) -> _Found:
    samples = list(pasted(gate.course, gate.assignment.id, gate.built.files[gate.notebook_name]))
    graded = grade_samples(
        gate.course, gate.assignment.id, samples, gate.wall, gate.jobs, lambda done, of: None
    )
    figure = counted(len(samples), "pasting") if samples else "others are given none of it"
    earned = [
        f"{sample.about} earns {', '.join(items)}"
        for sample in samples
        if (items := [each.item for each in graded[sample.name].items if each.score])
    ]
    return figure, "; ".join(earned) or None


def _margins_wide(gate: _Gate) -> _Found:
    with Server(gate.wall, limits_of(gate.assignment)) as server:
        found = margins(gate.exam, gate.samples, server)
    right = max((each.right for each in found if each.right), default=0.0)
    wrong = min((each.wrong for each in found if each.wrong), default=float("inf"))
    narrow = [each for each in found if not each.holds]
    figure = f"variants at most {right:.1e}, wrong ones at least {wrong:.1e} of what is allowed"
    if not narrow:
        return figure, None
    said = "; ".join(
        f"{each.item} (right {each.right or 0:.1e} {each.right_name}, wrong "
        f"{each.wrong or float('inf'):.1e} {each.wrong_name})"
        for each in narrow
    )
    return figure, f"closer than a factor of {FACTOR:g}: {said}"


def _fresh(gate: _Gate) -> _Found:
    again = build(gate.course, gate.assignment.id)
    released = gate.course.root / "assignments" / gate.assignment.id
    # The last digits hang on where in memory a tensor lies: of two builds, too.
    if again.settled_on(released).files != gate.built.settled_on(released).files:
        return f"{len(again.files)} files", "the same source gave other bytes the second time"
    stale = gate.built.differs_from(released)
    problem = f"stale: {', '.join(stale[:4])}: run `autograder release`" if stale else None
    return f"{len(again.files)} files, none gives anything away", problem


def _valid(gate: _Gate) -> _Found:
    notebook = nbformat.reads(gate.built.files[gate.notebook_name].decode(), as_version=4)
    try:
        nbformat.validate(notebook)
        MetadataValidator().validate_nb(notebook)
        CheckCellMetadata().preprocess(notebook, {})
    except Exception as error:
        return "", f"{type(error).__name__}: {error}"
    return f"{len(notebook.cells)} cells", None


def _runs(gate: _Gate) -> _Found:
    errors = _errors(gate, gate.reference.data)
    if not errors:
        return f"every cell, with {counted(len(gate.assignment.items), 'check')}", None
    name, said = next(iter(errors.items()))
    return f"raised in {counted(len(errors), 'cell')}", f"the cell {name}: {said}"


def _stub_fails(gate: _Gate) -> _Found:
    errors = _errors(gate, gate.built.files[gate.notebook_name])
    tried = [each.item for each in gate.exam.outcomes if each.public]
    items = [each.id for each in gate.assignment.items if each.id in tried]
    passed = [item for item in items if item not in errors]
    figure = f"{len(items) - len(passed)} of {len(items)} checks"
    return figure, f"passed by the stub: {', '.join(passed)}" if passed else None


def _errors(gate: _Gate, data: bytes) -> dict[str, str]:
    """The cells that raise when a notebook is run from the top in a real kernel, and what."""
    notebook: Any = nbformat.reads(data.decode(), as_version=4)
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root) / gate.assignment.id
        replace(gate.built, files=gate.built.files | {gate.notebook_name: data}).write(folder)
        client = nbclient.NotebookClient(
            notebook,
            timeout=_KERNEL_SECONDS,
            kernel_name="python3",
            resources={"metadata": {"path": str(folder)}},
            allow_errors=True,
        )
        try:
            # As nbgrader's Validate does: what fails raises. And without the kernel's own chatter.
            as_validated = os.environ | {"NBGRADER_EXECUTION": "validate"}
            client.execute(stderr=subprocess.DEVNULL, env=as_validated)
        except (CellTimeoutError, DeadKernelError) as error:
            return {"that ran last": f"{type(error).__name__}: {error}"}
    return {
        cell.metadata.get("nbgrader", {}).get("grade_id", cell.id): said
        for cell in notebook.cells
        for each in cell.get("outputs", ())
        if (said := _said(each))
    }


def _said(output: Any) -> str:
    """What an output says that went wrong; nothing where nothing did."""
    if output.output_type == "error":
        return f"{output.ename}: {output.evalue}"
    said = str(output.get("data", {}).get("text/plain", ""))
    return said if said.startswith(NOTHING) else ""


def _promised(gate: _Gate) -> _Found:
    source = gate.exam.source
    rows = side_by_side(gate.assignment, source, gate.exam.outcomes)
    said = sum(len(each.public) + len(each.hidden) for each in rows)
    alone = [each.item for each in rows if not each.public]
    figure = f"{counted(len(rows), 'item')}, {counted(said, 'sentence')}"
    figure += f"; only hidden checks: {', '.join(alone)}" if alone else ""
    return figure, "; ".join(unkept(rows, source)) or None


def _banned(gate: _Gate) -> _Found:
    # Read with course.yml: a name that is not there stops every command.
    return f"{counted(len(gate.assignment.banned), 'name')} of torch and others", None


def _links_whole(gate: _Gate) -> _Found:
    figure, broken = look_at_links(gate.built.files)
    return figure, "; ".join(broken) or None


_PROMISES: dict[str, Callable[[_Gate], _Found]] = {
    "the reference gets full marks": _reference_full,
    "the stub gets 0, all of it missing": _stub_missing,
    "every sample gets what it must": _samples_as_told,
    "what others are given earns nothing": _pasted_earns_nothing,
    "tolerances are far from right and wrong": _margins_wide,
    "assignments/ is fresh and reproducible": _fresh,
    "links and pictures are whole": _links_whole,
    "what is promised and what is asked": _promised,
    "names of banned calls are there": _banned,
    "the notebook is valid for nbgrader": _valid,
    "it runs from the top when answered": _runs,
    "public checks fail on the stub": _stub_fails,
}
