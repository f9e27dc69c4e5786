"""Mutants of the references: the text of a solution with one small change, by fixed rules.

A mutant is graded as a submission is, behind the walls. One that loses no item is either told in
the assignment's faults/equivalent.yml, with the reason why nobody can tell it from the reference,
or the checks have a gap. A reason may stand for a whole cell that no item looks at. Docstrings,
comments and the wording of messages are left alone.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from autograder.asking import Cell
from autograder.course import Verdict, text_of
from autograder.grading import Exam, limits_of, remote_student
from autograder.notebooks import Source, Submission
from autograder.proof.mutations import changes
from autograder.sandbox.confine import Limits
from autograder.sandbox.host import Server

_EQUIVALENT = Path("faults", "equivalent.yml")  # beside the source
_CALL_SECONDS = 1.0  # for one call: the reference takes a twentieth of it at most
_MARKER = re.compile(r"^ *### (BEGIN|END) SOLUTION\n?", re.MULTILINE)


@dataclass(frozen=True)
class Mutant:
    """One change of one solution cell."""

    cell: str
    number: int  # in its assignment, from 1
    description: str  # line N: <old line> -> <new line>
    text: str  # of the whole cell


@dataclass(frozen=True)
class Tried:
    """A mutant, the item that it lost first, and the reason told why it need not lose any."""

    mutant: Mutant
    lost: str | None
    reason: str | None

    @property
    def problem(self) -> str | None:
        """What is wrong with the checks, or with the list of equivalents."""
        if self.lost and self.reason:
            return f"it is told to be equivalent, but loses {self.lost}"
        return None if self.lost or self.reason else "it loses no item"


def mutants(source: Source) -> list[Mutant]:
    """Every mutant of an assignment's solutions, in the order of the notebook."""
    found: list[Mutant] = []
    not_looked_at = {cell for cell, why in _read(source).items() if isinstance(why, str)}
    for cell in source.reference:
        if cell.solution and cell.name not in not_looked_at:
            text = _MARKER.sub("", cell.source)
            for new in changes(text):
                found.append(Mutant(cell.name, len(found) + 1, _description(text, new), new))
    return found


def killed_by(mutant: Mutant, exam: Exam, server: Server) -> str | None:
    """The first item that a mutant loses, of those that ask the notebook anything.

    First come those that ask for what its cell defines, and of these the cheapest. Raises
    RuntimeError when it is our fault.
    """
    seconds: defaultdict[str, float] = defaultdict(float)
    for case in exam.bank.cases:
        seconds[case.item] += case.seconds
    asked: dict[str, set[str]] = {}
    for each in exam.outcomes:
        asked.setdefault(each.item, set()).update(one.question.name for one in each.asked)
    own = exam.source.defines(mutant.cell)
    items = sorted(
        filter(asked.get, asked), key=lambda item: (asked[item].isdisjoint(own), seconds[item])
    )
    server.start()
    cells = mutated(exam.source, mutant)
    with remote_student(Submission(cells, (), ""), exam, server) as student:
        for outcome in (each for item in items for each in exam.run(student, Path(), [item])):
            if outcome.verdict is Verdict.INTERNAL:
                raise RuntimeError(f"{mutant.cell}, {mutant.description}: {outcome.message}")
            if outcome.verdict is not Verdict.PASSED:
                return outcome.item
    return None


def mutated(source: Source, mutant: Mutant) -> tuple[Cell, ...]:
    """The cells of the reference with a mutant in its place."""
    changed = {(mutant.cell, True): mutant.text}
    return tuple(
        replace(each, source=changed.get((each.name, each.solution), each.source))
        for each in source.reference
    )


def mutant_limits(exam: Exam) -> Limits:
    """What a mutant may take: less time than a submission, for many do not end."""
    return replace(limits_of(exam.assignment), call_seconds=_CALL_SECONDS)


def try_mutants(exam: Exam, server: Server, chosen: Sequence[Mutant]) -> list[Tried]:
    """Grade mutants, each until it loses an item. Raises as read_equivalent does."""
    reasons = read_equivalent(exam.source)
    exam = replace(exam, foreseen=())  # most are lost by the first questions

    return [
        Tried(each, killed_by(each, exam, server), reasons.get((each.cell, each.description)))
        for each in chosen
    ]


def read_equivalent(source: Source) -> dict[tuple[str, str], str]:
    """The reasons why mutants of an assignment are equivalent, by cell and description.

    Raises ValueError for one that is told and does not exist.
    """
    of_cells = {cell: each for cell, each in _read(source).items() if not isinstance(each, str)}
    told = {(cell, said): str(why) for cell, each in of_cells.items() for said, why in each.items()}
    unknown = told.keys() - {(each.cell, each.description) for each in mutants(source)}
    for cell, said in sorted(unknown):
        file = source.path.parent / _EQUIVALENT
        raise ValueError(f"{file}: {cell}: there is no mutant {said!r}")
    return told


def _read(source: Source) -> dict[str, Any]:
    """The file of an assignment: by cell, a reason for all of it, or the reasons by mutant."""
    file = source.path.parent / _EQUIVALENT
    try:
        found = yaml.safe_load(text_of(file)) if file.is_file() else None
    except yaml.YAMLError as error:
        raise ValueError(f"{file}: cannot be read as YAML: {error}") from error
    return found or {}


def _description(old: str, new: str) -> str:
    pairs = zip(old.splitlines(), new.splitlines(), strict=False)
    number, *lines = next((at, *pair) for at, pair in enumerate(pairs, 1) if pair[0] != pair[1])
    before, after = (str(line).partition("  #")[0].strip() for line in lines)
    return f"line {number}: {before} -> {after}"
