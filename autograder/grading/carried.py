"""Follow-through: is a later item right once an earlier part of the notebook is put right?

An earlier part that fails is replaced by the given one, built on torch's own modules, never by the
reference: whatever runs behind the walls may be read there.
"""

import ast
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from autograder.asking import Cell
from autograder.checking import CheckOutcome
from autograder.course import ItemResult, Verdict
from autograder.notebooks import MODULE, Source, Submission, can_be_given

_PAYING = frozenset(Verdict) - {Verdict.PASSED, Verdict.CARRIED}
# Grades these items of a submission again, with these names to be had from `given` too.
Again = Callable[[Submission, Sequence[str], Sequence[str]], Sequence[CheckOutcome]]


def carried(
    submission: Submission,
    source: Source,
    rehearsed: Sequence[CheckOutcome],
    outcomes: Sequence[CheckOutcome],
    again: Again,
    ended: Collection[str],
) -> dict[str, tuple[str, ...]]:
    """The failed items that pass with failed earlier parts replaced, and which parts those are.

    rehearsed: the outcomes of the reference, which tell what each item is about; ended: the cells
    that ended their process.
    """
    failed = _failed(outcomes)
    if not failed:
        return {}
    order = [cell.name for cell in source.reference if cell.solution]
    own = looked_at(source, rehearsed)
    untouched = _untouched(submission, source)
    found: dict[str, tuple[str, ...]] = {}
    for number, first in enumerate(order):
        # Whatever is right except for what stands before it is settled by now, and no culprit.
        wrong = {cell for item in failed if item not in found for cell in own.get(item, ())}
        culprits = [
            cell
            for cell in order[:number]
            if cell in wrong and can_be_given(source, source.defines(cell))
        ]
        items = [
            item
            for item in failed
            if own.get(item, [])[:1] == [first] and not untouched.intersection(own[item])
        ]
        if culprits and items:
            names = [name for cell in culprits for name in source.defines(cell)]
            then = again(_replaced(submission, source, culprits, ended), names, items)
            still = {each.item for each in then if each.verdict is not Verdict.PASSED}
            found |= {item: tuple(names) for item in items if item not in still}
    return found


def looked_at(source: Source, rehearsed: Sequence[CheckOutcome]) -> dict[str, list[str]]:
    """The solution cells that each item looks at, in their order."""
    targets: dict[str, set[str]] = {}
    for each in rehearsed:
        targets.setdefault(each.item, set()).update(asked.question.name for asked in each.asked)
    order = [cell.name for cell in source.reference if cell.solution]
    return {
        item: [cell for cell in order if cell in {source.defined_in.get(name) for name in names}]
        for item, names in targets.items()
    }


def with_contradictions(
    items: Sequence[ItemResult],
    carried_by: Mapping[str, Sequence[str]],
    own: Mapping[str, Sequence[str]],
    source: Source,
    judged: Sequence[ItemResult],
) -> list[ItemResult]:
    """The items; of those carried by parts in which nothing was lost, a word for staff.

    own: the solution cells that each item looks at. Such a part is wrong, and no check saw it. Nor
    is anything carried where nothing at all was lost: whatever it fails through is paid for.
    judged: the items before any was carried. Where a check did see something in such a part, which
    then was paid for elsewhere, an item is no longer carried by it.
    """
    told = []
    failed = {each.item: each for each in judged if each.verdict is not Verdict.PASSED}
    lost = any((each.score or 0) < each.points and each.verdict in _PAYING for each in items)
    for item in items:
        parts = carried_by.get(item.item, ())
        cells = {source.defined_in[name] for name in parts}
        paid = [
            each
            for each in items
            if cells.intersection(own.get(each.item, ())) and (each.score or 0) < each.points
        ]
        seen = any(cells.intersection(own.get(each, ())) for each in failed if each != item.item)
        if parts and not paid and seen:
            item = failed[item.item]
        elif parts and not paid:
            said = ", ".join(parts)
            changes = {
                "score": None,
                "verdict": Verdict.INTERNAL,
                "message": f"it passes once {said} is replaced by a right one, but no item about "
                f"{said} lost anything: no check sees what is wrong there. Write one that does, "
                "and grade again",
            }
            item = item.model_copy(update=changes)
        elif item.verdict is Verdict.CARRIED and not lost:
            said = "it is carried, and nothing else lost anything: look at what this fails through"
            changes = {"score": None, "verdict": Verdict.INTERNAL, "message": said}
            item = item.model_copy(update=changes)
        told.append(item)
    return told


def _failed(outcomes: Iterable[CheckOutcome]) -> list[str]:
    kept = (Verdict.PASSED, Verdict.INTERNAL, Verdict.FORBIDDEN)
    return list(dict.fromkeys(each.item for each in outcomes if each.verdict not in kept))


def _untouched(submission: Submission, source: Source) -> set[str]:
    """The solution cells that are still stubs: no earlier part keeps them from being right."""
    regions = {
        cell.name: cell.source.count("### BEGIN SOLUTION")
        for cell in source.cells
        if cell.role == "solution"
    }
    return {
        cell.name
        for cell in submission.cells
        if cell.solution and _stubs(cell.source) >= regions.get(cell.name, 1)
    }


def _stubs(text: str) -> int:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return 0
    return sum(
        isinstance(node, ast.Raise)
        and any(isinstance(x, ast.Name) and x.id == "NotImplementedError" for x in ast.walk(node))
        for node in ast.walk(tree)
    )


def _replaced(
    submission: Submission, source: Source, culprits: Sequence[str], ended: Collection[str]
) -> Submission:
    """The submission in which the given parts stand for those of these cells.

    What else stands in them stays: later cells may use a helper, or an import.
    """
    cells: list[Cell] = []
    for cell in submission.cells:
        is_replaced = cell.solution and cell.name in culprits
        if not is_replaced or cell.name not in ended:
            cells.append(cell)
        if is_replaced:
            given = f"from {MODULE} import {', '.join(source.defines(cell.name))}"
            cells.append(Cell(f"{cell.name}, {MODULE}", given))
    return replace(submission, cells=tuple(cells))
