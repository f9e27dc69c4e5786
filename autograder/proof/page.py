"""The proof as a page: which item catches which fault, and what was said of it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.diagnosis import Component, named
from autograder.export import write_page
from autograder.proof.locating import LEAST_LOCATED
from autograder.proof.mutants import Tried
from autograder.proof.proven import (
    Graded,
    Proof,
    Told,
    lines_told,
    mean_costs,
    problem_of_all,
    rows_told,
)

__all__ = ["short_names", "write_proof"]

_BAD = (
    "too dear",
    "told what is wrong",
    "that lost or were told something",
    "told a line that is right",
    "problems",
)  # but for 0


@dataclass(frozen=True)
class _Row:
    """One fault: in each column whether that item caught it, and was meant to."""

    graded: Graded
    # "meant", "caught", "touched" (and carried), "missed" (meant, and did not lose) or ""
    cells: tuple[str, ...]


@dataclass(frozen=True)
class _Group:
    """The faults of one component, and what became of its pairs."""

    of: tuple[str, ...]  # what the component stands for
    rows: list[_Row]
    pairs: list[list[Graded | None]]  # below the diagonal; None: they are on one step
    counts: Counter[Told]


@dataclass(frozen=True)
class _Section:
    proof: Proof
    name: str  # at the head of a column
    groups: list[_Group]
    counts: Counter[Told]  # of all pairs
    mean_costs: float
    equivalents: list[Tried]
    survivors: list[Tried]


def short_names(proofs: Sequence[Proof]) -> list[str]:
    """The ids of the assignments, up to the first underscore where that tells them apart."""
    ids = [each.assignment.id for each in proofs]
    short = [id.partition("_")[0] for id in ids]
    return short if 1 < len(ids) == len(set(short)) else ids


def write_proof(proofs: Sequence[Proof], course_name: str, path: Path) -> None:
    """Write the page to `path`, creating its folder. The same proofs give the same bytes."""
    names = short_names(proofs)
    sections = [_section(*each) for each in zip(proofs, names, strict=True)]
    totals = sum((Counter(each.figures) for each in proofs), Counter[str]())
    context = {
        "mean_costs": mean_costs(proofs),
        "is_dear": problem_of_all(proofs) is not None,
        "course_name": course_name,
        "sections": sections,
        "totals": totals,
        "rows": rows_told(proofs),
        "bad": _BAD,
        "lines_told": lines_told(proofs),
        "least_located": LEAST_LOCATED,
    }
    write_page(path, "proof/proof.html.jinja", **context)


def _section(proof: Proof, name: str) -> _Section:
    pairs = {frozenset(named(each.faults)): each for each in proof.pairs}
    groups = []
    for component in proof.components:
        rows = [_row(each, proof) for each in proof.singles if _is_of(each, component)]
        ids = [row.graded.faults[0].id for row in rows]
        matrix = [
            [pairs.get(frozenset((one, other))) for other in ids[:place]]
            for place, one in enumerate(ids)
        ]
        counts = Counter(each.told for each in proof.pairs if _is_of(each, component))
        groups.append(_Group(component.of, rows, matrix, counts))
    counts = Counter(each.told for each in proof.pairs)
    equivalents = [each for each in proof.mutants if each.reason and not each.lost]
    survivors = [each for each in proof.mutants if each.problem]
    return _Section(proof, name, groups, counts, mean_costs([proof]), equivalents, survivors)


def _is_of(graded: Graded, component: Component) -> bool:
    return graded.faults[0].component == component.name


def _row(graded: Graded, proof: Proof) -> _Row:
    lost = {each.item for each in graded.lost}
    touched = {each.item for each in graded.touched}
    meant = graded.faults[0].item
    cells = []
    for item in proof.assignment.items:
        if item.id == meant:
            cells.append("meant" if item.id in lost else "missed")
        else:
            beside = "touched" if item.id in touched else ""
            cells.append("caught" if item.id in lost else beside)
    return _Row(graded, tuple(cells))
