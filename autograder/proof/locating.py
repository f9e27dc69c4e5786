"""That the right line is pointed at: in what is wrong, and known to be, with the bank switched off.

Mutants of the references and wrong samples are asked as submissions are, and nothing explains
them. A line that a repair tells must be one that was changed: in a mutant that is known; a sample
says it (`# lines: <a line>`, one for each), or else a line is wrongly told that stands in right
code, too. Where no repair is found, the line of an exception is told as such, and one that does
nothing: that claims no more, and is counted where it is known to be one that was changed.
"""

import tempfile
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Literal

from autograder.asking import Cell
from autograder.course import Verdict
from autograder.grading import Exam, remote_student
from autograder.notebooks import Source, Submission, read_submission
from autograder.proof.mutants import Mutant, mutants, mutated, read_equivalent
from autograder.proof.samples import Sample
from autograder.repair import Located, Purse, locate, undone
from autograder.sandbox.host import Server

LEAST_LOCATED = 0.7  # of what is wrong, the share whose line must be told
_SECONDS = 300.0  # as of a student's: it is never reached
_MISSING = "(missing)"  # begins what a sample says of its lines, where one is not there
_LOOKED_AT = (Verdict.WRONG, Verdict.ERROR)


class Pointed(StrEnum):
    """What was said of where a mistake stands."""

    LOCATED = "located"
    RAISED = "raised"  # by no repair, but an exception names a line that was changed
    UNDONE = "undone"  # nor by that, but a line that does nothing is one
    SILENT = "silent"
    WRONG = "wrong"  # a line was told that was not changed


@dataclass(frozen=True)
class Sought:
    """Something that is wrong, what was told of where, and whether that is so."""

    name: str
    of: Literal["mutant", "sample"]
    told: tuple[Located, ...]
    pointed: Pointed

    @property
    def problem(self) -> str | None:
        """What must not be, as a sentence."""
        if self.pointed is not Pointed.WRONG:
            return None
        return f"{self.name}: a line is told that was not changed: {self.told[0]}"


@dataclass(frozen=True)
class Wrong:
    """What is known to be wrong: what was changed, if that is known; else what right code says."""

    name: str
    of: Literal["mutant", "sample"]
    submission: Submission
    changed: frozenset[str] | None
    right: frozenset[str] = frozenset()

    def judged(self, told: Sequence[Located], raised: Collection[str] = ()) -> Sought:
        """Whether what was told of it is so; raised: the lines in which exceptions were raised."""
        cells = (each for each in self.submission.cells if each.solution)
        idle = {each.source for each in (undone(x.name, x.source) for x in cells) if each}
        # Where something is missing, the line that is told is right by itself.
        missing = self.changed is None or any(each.startswith(_MISSING) for each in self.changed)
        lines = {each.source for each in told if not (each.missing and missing)}
        false = lines & self.right if self.changed is None else lines - self.changed
        if false:
            pointed = Pointed.WRONG
        elif told:
            pointed = Pointed.LOCATED
        elif self.changed and not self.changed.isdisjoint(raised):
            pointed = Pointed.RAISED
        elif self.changed and not self.changed.isdisjoint(idle):
            pointed = Pointed.UNDONE
        else:
            pointed = Pointed.SILENT
        return Sought(self.name, self.of, tuple(told), pointed)


def mutants_to_locate(source: Source) -> list[Wrong]:
    """The mutants of an assignment, but for those that nobody can tell."""
    equivalent = read_equivalent(source)
    possible = [x for x in mutants(source) if (x.cell, x.description) not in equivalent]
    return [_mutant(each, source) for each in possible]


def _mutant(mutant: Mutant, source: Source) -> Wrong:
    right = next(each for each in source.reference if each.name == mutant.cell and each.solution)
    before = {line.strip() for line in right.source.splitlines()}
    changed = frozenset(line.strip() for line in mutant.text.splitlines()) - before
    name = f"{mutant.cell}, {mutant.description}"
    return Wrong(name, "mutant", Submission(mutated(source, mutant), (), ""), changed)


def samples_to_locate(exam: Exam, samples: Sequence[Sample]) -> list[Wrong]:
    """The wrong samples of an assignment."""
    right = _lines(exam.source.reference)
    with tempfile.TemporaryDirectory() as folder:
        read = {
            each.name: read_submission(each.write(Path(folder)), exam.source)
            for each in samples
            if each.kind in ("right", "wrong")
        }
    for each in samples:
        right |= _lines(read[each.name].cells) if each.kind == "right" else frozenset()
    return [
        Wrong(each.name, "sample", read[each.name], each.lines or None, right)
        for each in samples
        if each.kind == "wrong"
    ]


def _lines(cells: Sequence[Cell]) -> frozenset[str]:
    return frozenset(line.strip() for each in cells for line in each.source.splitlines())


def locate_all(exam: Exam, server: Server, chosen: Sequence[Wrong]) -> list[Sought]:
    """Look for the lines of all of these; those that lose nothing are left out."""
    found = []
    for each in chosen:
        with remote_student(each.submission, exam, server) as student:
            outcomes = exam.run(student, Path())
            failed = {one.item for one in outcomes if one.verdict in _LOOKED_AT}
            answers = exam.bank.ask(student, outcomes, failed) if failed else {}
        if failed:
            told = locate(
                each.submission,
                exam.source,
                exam.bank,
                answers,
                failed,
                lambda other, given=(): remote_student(other, exam, server, given),
                Purse(time.monotonic() + _SECONDS),
                known={},
                repairs=[],
            )
            failures = (one.failure for one in outcomes)
            raised = {one.source for one in failures if one is not None and one.source}
            found.append(each.judged(told, raised))
    return found
