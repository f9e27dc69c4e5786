"""The proof that the grader works: every fault handed in as a submission, behind the real walls.

Each single fault, and each pair of those that are made often in one component, becomes a notebook
that is right otherwise and goes through the whole grader, as the right variants do. A fault must
cost the item that is meant to catch it and be named; a variant must cost nothing and be told
nothing.
"""

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from autograder.course import Course, ItemResult, Result, Verdict, source_path
from autograder.diagnosis import (
    Component,
    Faults,
    can_be_run,
    combine,
    named,
    read_components,
    same,
)
from autograder.grading import Exam, HandedIn, prepare
from autograder.notebooks import read_source
from autograder.proof.locating import Sought, mutants_to_locate, samples_to_locate
from autograder.proof.mutants import Tried, mutants
from autograder.proof.pool import SECRET, Pool
from autograder.proof.proven import MOST_COSTS, Graded, Proof, Told
from autograder.proof.samples import (
    Sample,
    answered,
    as_saved,
    handed_in_files,
    read_samples,
)
from autograder.proof.shard import ALL, Shard
from autograder.proof.shows import Shows
from autograder.proof.slips import slips
from autograder.release import notebook_of

_KEPT = (Verdict.PASSED, Verdict.CARRIED)


def choices(components: Sequence[Component]) -> Iterator[tuple[Component, Faults]]:
    """Every single fault, and every pair of those that are made often."""
    for component in components:
        for fault in component.faults:
            yield component, (fault,)
        for pair in component.pairs:
            yield component, pair


def prove(
    course: Course,
    assignment_id: str,
    pool: Pool,
    tell: Callable[[int, int], None],
    chosen: Callable[[Faults], bool] = lambda _: True,
    shard: Shard = ALL,
) -> Proof:
    """Hand in every fault and pair of an assignment that is `chosen`, and all that is right.

    tell: hears how many of how many are graded. Raises what `prepare` and `build` do.
    """
    exam = prepare(course, assignment_id, SECRET)
    faulty = {
        " + ".join(named(faults)): (component, faults)
        for component, faults in choices(exam.bank.components)
        if chosen(faults) and shard.has(" + ".join(named(faults)))
    }
    variants = [each for each in read_samples(course, assignment_id) if each.kind == "right"]
    with tempfile.TemporaryDirectory() as folder:
        maker = Maker(course, assignment_id, Path(folder))
        class_ = [
            HandedIn(name, maker.hand_in(name, component.cell, component.cell_with(faults)))
            for name, (component, faults) in faulty.items()
        ]
        bases: dict[str, tuple[Component, Faults]] = {
            f"{each.name} without a fault": (each, ()) for each in exam.bank.components
        }
        styles = ((each, style) for each in exam.bank.components for style in each.styles)
        bases |= {f"the style {style.id}": (each, (style,)) for each, style in styles}
        class_ += [
            HandedIn(name, maker.hand_in(name, each.cell, each.cell_with(style)))
            for name, (each, style) in bases.items()
        ]
        class_ += [HandedIn(each.name, each.write(Path(folder))) for each in variants]
        results = pool.grade(assignment_id, class_, tell)
    graded = [
        _judged(exam, component, faults, results[name])
        for name, (component, faults) in faulty.items()
    ]
    return Proof(
        exam.assignment,
        tuple(exam.bank.components),
        tuple(each for each in graded if len(each.faults) == 1),
        tuple(each for each in graded if len(each.faults) > 1),
        {each.name: _touched(results[each.name]) for each in variants},
        {name: _touched(results[name]) for name in bases},
        slips=tuple(slips(exam.bank, bases | faulty, results)),
        shard=shard,
    )


def measure(
    course: Course, assignment_id: str, pool: Pool, tell: Callable[[int, int], None]
) -> Shows:
    """In how many cases of which item each fault of an assignment shows."""
    components = read_components(read_source(source_path(course.root, assignment_id)))
    faults = [fault for component in components for fault in component.faults]
    return pool.measure(assignment_id, faults, tell)


def try_all_mutants(
    course: Course,
    assignment_id: str,
    pool: Pool,
    tell: Callable[[int, int], None],
    shard: Shard = ALL,
) -> tuple[Tried, ...]:
    """Every mutant of an assignment's references, graded until it loses an item."""
    source = read_source(source_path(course.root, assignment_id))
    some = [each for each in mutants(source) if shard.has(f"{each.cell}, {each.description}")]
    return pool.try_mutants(assignment_id, some, tell)


def locate_wrong(
    course: Course,
    assignment_id: str,
    pool: Pool,
    tell: Callable[[int, int], None],
    *shards: Shard,
) -> tuple[Sought, ...]:
    """Look for the lines of the mutants and of the wrong samples that are in all of these parts."""
    exam = prepare(course, assignment_id, SECRET)
    samples = samples_to_locate(exam, read_samples(course, assignment_id))
    wrong = [*mutants_to_locate(exam.source), *samples]
    drawn = [each for each in wrong if all(shard.has(each.name) for shard in shards)]
    return pool.locate(assignment_id, drawn, tell)


class Maker:
    """Makes submissions that are right except for one solution cell."""

    def __init__(self, course: Course, assignment_id: str, folder: Path) -> None:
        released = notebook_of(course, assignment_id)
        self._right = json.loads(as_saved(answered(course, assignment_id, released)))
        self._id = assignment_id
        self._folder = folder
        self._files = handed_in_files(course, assignment_id)

    def hand_in(self, name: str, cell: str, text: str) -> Path:
        """Hand in, under a name, a notebook with `text` in a solution cell; returns its file."""
        cells = [
            each | {"source": text} if _answers(each, cell) else each
            for each in self._right["cells"]
        ]
        data = json.dumps(self._right | {"cells": cells}).encode()
        return Sample(name, "", "wrong", self._id, data, files=self._files).write(self._folder)


def _answers(cell: Any, name: str) -> bool:
    return bool(cell["metadata"].get("nbgrader", {}).get("grade_id") == f"solution_{name}")


def _touched(result: Result) -> tuple[ItemResult, ...]:
    return tuple(each for each in result.items if each.verdict not in _KEPT or each.diagnosis)


def _judged(exam: Exam, component: Component, faults: Faults, result: Result) -> Graded:
    lost = tuple(each for each in result.items if each.verdict not in _KEPT)
    touched = tuple(each for each in result.items if each not in lost and each.faults)
    costs = sum(each.points - (each.score or 0.0) for each in result.items) / result.max_score
    told = _what_was_told(exam, component, faults, (*lost, *touched))
    meant = {each.item for each in faults}
    own = sum(each.points for each in result.items if each.item in meant) / result.max_score
    dear = costs > max(MOST_COSTS, own) and _costs_run(exam, component, faults, lost) > max(
        MOST_COSTS, own
    )
    return Graded(faults, lost, told, touched, costs, dear)


def _costs_run(
    exam: Exam, component: Component, faults: Faults, lost: Sequence[ItemResult]
) -> float:
    """The share that it costs in items where it leaves answers: of what else is there to see."""
    bank = exam.bank
    ran = [each for each in lost if can_be_run(component, faults, bank, each.item)]
    return sum(each.points - (each.score or 0.0) for each in ran) / exam.assignment.max_score


def _what_was_told(
    exam: Exam, component: Component, faults: Faults, lost: Sequence[ItemResult]
) -> Told:
    ids = set(named(faults))
    told = {fault for each in lost for fault in each.faults}
    if not told:
        return Told.SILENT
    everywhere = all(each.faults for each in lost)
    if told == ids and everywhere:
        return Told.NAMED
    others = tuple(each for each in component.faults if each.id in told)
    parts = [others, *combinations(others, 1), *combinations(others, 2)]
    if everywhere and any(_alike(exam, component, faults, each) for each in parts):
        return Told.ALIKE
    return Told.PARTLY if told <= ids else Told.WRONG


def _alike(exam: Exam, component: Component, one: Faults, other: Faults) -> bool:
    """Whether two choices of faults give the same answers to all that is ever asked."""
    bank = exam.bank
    return combine(other) and all(
        same(bank.answer(component, one, place), bank.answer(component, other, place), case)
        for place, case in enumerate(bank.cases)
        if place in bank.cases_of(component)
    )
