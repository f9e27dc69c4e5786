"""Edits tried behind the walls: many in one fork, to see which is worth a fork of its own.

A fork takes as long as dozens of edits. What an edit keeps, prints or breaks in a shared fork may
make another look wrong, or right, there; so what is told is tried again in a fork in which nothing
else has run.
"""

import contextlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import libcst as cst

from autograder.asking import Cell, RemoteStudent, StudentError, ask_after_each
from autograder.course import Verdict
from autograder.diagnosis import Case
from autograder.notebooks import MODULE, Source, Submission, can_be_given
from autograder.repair.edits import Edit
from autograder.repair.known import fits
from autograder.repair.looks import LOOK, SEEN, looked_at, read_kinds
from autograder.repair.view import Kind, View
from autograder.sandbox.failure import Failure
from autograder.sandbox.kept import Overdue
from autograder.sandbox.session import Answer

_SHARED = 600  # edits at most that are tried in one fork
_ENDED = (Verdict.TIMEOUT, Verdict.ERROR, Verdict.MEMORY)
_CALL_SECONDS = 0.5  # for one cell or call, far from what it takes: some edits do not end
_CPU_SECONDS = 0.05  # the same of the processor, where a process goes on when it takes more
_TIMES = 20.0  # or so many times what the reference took


Repairs = list[tuple[str, Edit]]  # of which cell each is


class StudentOf(Protocol):
    """Gives a submission behind the walls."""

    def __call__(self, other: Submission, given: Sequence[str] = ()) -> RemoteStudent:
        """given: names that are to be had beside its own."""


def with_cell(submission: Submission, name: str, text: str) -> Submission:
    """The submission with another text in one of its solution cells."""
    cells = tuple(
        replace(each, source=text) if each.solution and each.name == name else each
        for each in submission.cells
    )
    return replace(submission, cells=cells)


def mended(submission: Submission, repairs: Repairs) -> Submission:
    """The submission with what repairs made of its cells."""
    for cell, edit in repairs:
        submission = with_cell(submission, cell, edit.text)
    return submission


def text_of(submission: Submission, cell: str) -> str:
    """What stands in a solution cell of theirs; nothing where there is none."""
    return next((x.source for x in submission.cells if x.solution and x.name == cell), "")


def view_of(submission: Submission, cell: str) -> View | None:
    """A view of a solution cell of theirs, which knows the others; None where it cannot be read."""
    texts = {each.name: each.source for each in submission.cells if each.solution}
    others = (_view(text) for name, text in texts.items() if name != cell)
    return _view(texts.get(cell), [each for each in others if each])


def _view(text: str | None, others: Sequence[View] = ()) -> View | None:
    try:
        return None if text is None else View(text, others)
    except ValueError:
        return None


def with_given(
    submission: Submission, cells: Collection[str], source: Source
) -> tuple[Submission, list[str]]:
    """The submission with what is given of some of its cells after them, and the names of that."""
    names: list[str] = []
    found: list[Cell] = []
    for each in submission.cells:
        found.append(each)
        if each.solution and each.name in cells:
            theirs = source.defines(each.name)
            names += theirs
            found.append(Cell(f"{MODULE} {each.name}", f"from {MODULE} import {', '.join(theirs)}"))
    return replace(submission, cells=tuple(found)), names


def stands_on(text: str, cells: Iterable[str], source: Source) -> bool:
    """Whether a cell's text uses what these cells define and nobody can be given.

    Where they are wrong, an edit of it may make up for that: it would be told a line that is right.
    """
    names = (source.defines(each) for each in cells)
    missing = {name for each in names if not can_be_given(source, each) for name in each}
    return not missing.isdisjoint(re.findall(r"\w+", text))


def answered(student: RemoteStudent, case: Case) -> Answer | None:
    """What a submission answers to a case; None when its process ended of it."""
    student.call_seconds = _seconds_for(case)
    try:
        if case.is_value:
            return Answer(student.get(case.question.name))
        return student.ask(case.question)
    except StudentError as error:
        return _told(error)


def _told(error: StudentError) -> Answer | None:
    if error.failure is None and error.verdict in _ENDED:
        return None
    return Answer(None, failure=error.failure or Failure(str(error.verdict), ""))


def _seconds_for(case: Case) -> float:
    return max(_CALL_SECONDS, _TIMES * case.seconds)


def fit_of(student: RemoteStudent, case: Case) -> int | None:
    """How a submission's answer to a case fits; None when its process ended of it."""
    answer = answered(student, case)
    return None if answer is None else _fits(answer, case)


def _fits(answer: Answer, case: Case) -> int:
    """The same of what an edit gives: an error that is to be raised here is not met by chance."""
    asked, met = case.right.failure, answer.failure
    by_chance = asked and asked.is_on_purpose and met and not met.is_on_purpose
    return 0 if by_chance else fits(answer, case)


@dataclass(frozen=True)
class Tried:
    """What an edit makes of a case."""

    edit: Edit
    right: bool = False
    answered: bool = False  # an exception is no answer
    ended: bool = True  # in its time
    seconds: float = 0.0  # that were lost if it did not, at least: no price is measured


class Trials:
    """Tries edits of one cell of a submission. Use as a context manager."""

    def __init__(
        self, student_of: Callable[[Submission], RemoteStudent], submission: Submission, cell: str
    ) -> None:
        self._student_of = student_of
        self._submission = submission
        self.cell = cell
        self._life = contextlib.ExitStack()
        self._student: RemoteStudent | None = None
        self._tried = 0
        self._lost = 0.0

    def __enter__(self) -> "Trials":
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def _end(self) -> None:
        self._life.close()
        self._student = None

    def _running(self, edits: int = 1) -> RemoteStudent:
        self._tried += edits
        if self._student is None or self._tried > _SHARED:
            self._end()
            self._student = self._life.enter_context(self._student_of(self._submission))
            self._student.run()
            self._tried = edits
        self._student.call_seconds = _CALL_SECONDS
        return self._student

    def tried(self, edits: Sequence[Edit], case: Case) -> list[Tried]:
        """What each edit makes of a case, in the shared fork; after one that ends it, none."""
        if case.is_value:
            return [self._tried_value(each, case) for each in edits]
        student, found = self._running(len(edits)), list[Tried]()
        student.call_seconds = _seconds_for(case)
        cells = (Cell(self.cell, each.text) for each in edits)
        seconds = max(_CPU_SECONDS, _TIMES * case.seconds)
        try:
            asked = ask_after_each(student, cells, case.question, seconds)
            for edit, said in zip(edits, asked, strict=True):
                answer = _told(said) if isinstance(said, StudentError) else said
                right = answer is not None and _fits(answer, case) > 0
                failure = answer.failure if answer else None
                ended = failure is None or failure.type != Overdue.__name__
                lost = 0.0 if ended else _CPU_SECONDS
                found.append(
                    Tried(edit, right, answer is not None and failure is None, ended, lost)
                )
        except StudentError:
            self._end()
            found.append(Tried(edits[len(found)], ended=False, seconds=_CALL_SECONDS))
        return found

    def take_lost(self) -> float:
        """The seconds that `ask` waited at least since it was last asked, for what did not end."""
        lost, self._lost = self._lost, 0.0
        return lost

    @property
    def is_running(self) -> bool:
        """Whether the shared fork is there: an edit may have ended it."""
        return self._student is not None

    def _tried_value(self, edit: Edit, case: Case) -> Tried:
        right = any(self.ask(edit.text, [case]))
        return Tried(edit, right, True, ended=self.is_running)

    def ask(self, text: str, cases: Iterable[Case]) -> Iterator[int]:
        """Of each case how the answer of the cell with this text fits, in the shared fork.

        Ends early where the process does, or the cell raises.
        """
        student = self._running()
        student.cell_errors.pop(self.cell, None)
        right: int | None = None
        with contextlib.suppress(StudentError):
            student.run_cell(Cell(self.cell, text))
            if self.cell in student.cell_errors:  # what was defined before is still there
                return
            for asked in cases:
                right = fit_of(student, asked)
                if right is None:
                    break
                yield right
            else:
                return
        self._end()
        self._lost += _CALL_SECONDS

    @contextlib.contextmanager
    def ask_alone(
        self, text: str, cases: Iterable[Case]
    ) -> Iterator[tuple[Iterator[int], Callable[[], bool]]]:
        """The same in a fork of its own, in which nothing else has run.

        Gives the answers too whether, after the last, a banned call would still be noticed.
        """
        with self._student_of(with_cell(self._submission, self.cell, text)) as student:
            student.run()
            runs = self.cell not in student.cell_errors
            answers = (fit_of(student, case) or 0 for case in cases) if runs else iter(())
            yield answers, lambda: student.unguarded() is None

    def kinds(self, view: View, case: Case) -> dict[cst.CSTNode, Kind]:
        """What each piece of the cell is while a case is asked; nothing where that fails."""
        text, nodes = looked_at(view)
        student = self._running()
        try:
            student.run_cell(Cell("look", LOOK))
            student.run_cell(Cell(self.cell, text))
            if self.cell in student.cell_errors:
                return {}
            with contextlib.suppress(StudentError):
                student.ask(case.question)
            return read_kinds(student.get(SEEN), nodes)
        except StudentError:
            self._end()
            return {}
