"""Edits tried behind the walls: many in one fork, to see which is worth a fork of its own.

A fork takes as long as dozens of edits. What an edit keeps, prints or breaks in a shared fork may
make another look wrong, or right, there; so what is told is tried again in a fork in which nothing
else has run.
"""

import contextlib
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from dataclasses import replace

import libcst as cst

from autograder.asking import Cell, RemoteStudent, StudentError, ask_after_each
from autograder.course import Verdict
from autograder.diagnosis import Case, same
from autograder.notebooks import MODULE, Source, Submission
from autograder.repair.edits import Edit
from autograder.repair.looks import LOOK, SEEN, looked_at, read_kinds
from autograder.repair.view import Kind, View
from autograder.sandbox.failure import Failure
from autograder.sandbox.session import Answer

_SHARED = 250  # edits at most that are tried in one fork
_ENDED = (Verdict.TIMEOUT, Verdict.ERROR, Verdict.MEMORY)
CALL_SECONDS = 0.5  # for one cell or call, far from what it takes: some edits do not end
_TIMES = 20.0  # or so many times what the reference took


def with_cell(submission: Submission, name: str, text: str) -> Submission:
    """The submission with another text in one of its solution cells."""
    cells = tuple(
        replace(each, source=text) if each.solution and each.name == name else each
        for each in submission.cells
    )
    return replace(submission, cells=cells)


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
    return max(CALL_SECONDS, _TIMES * case.seconds)


def is_right(student: RemoteStudent, case: Case) -> bool | None:
    """Whether a submission answers a case right; None when its process ended of it."""
    answer = answered(student, case)
    return None if answer is None else same(answer, case.right, case)


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
        self.deaths = 0  # processes that an edit ended

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
        self._student.call_seconds = CALL_SECONDS
        return self._student

    def right_with(self, edits: Sequence[Edit], case: Case) -> tuple[list[Edit], int, int]:
        """Those with which a case is right, in the shared fork; how many were tried, and answered.

        After one that ends the process none is tried. An exception is no answer.
        """
        if case.is_value:
            right = [each for each in edits if any(self.ask(each.text, [case]))]
            return right, len(edits), len(edits)
        student, right, tried, answers = self._running(len(edits)), [], 0, 0
        student.call_seconds = _seconds_for(case)
        cells = (Cell(self.cell, each.text) for each in edits)
        try:
            for edit, said in zip(
                edits, ask_after_each(student, cells, case.question), strict=True
            ):
                tried += 1
                answer = _told(said) if isinstance(said, StudentError) else said
                answers += answer is not None and answer.failure is None
                if answer is not None and same(answer, case.right, case):
                    right.append(edit)
        except StudentError:
            self.deaths += 1
            self._end()
            return right, tried + 1, answers
        return right, tried, answers

    def ask(self, text: str, cases: Iterable[Case]) -> Iterator[bool]:
        """Of each case whether the cell with this text answers it right, in the shared fork.

        Ends early where the process does, or the cell raises.
        """
        student = self._running()
        student.cell_errors.pop(self.cell, None)
        right: bool | None = None
        with contextlib.suppress(StudentError):
            student.run_cell(Cell(self.cell, text))
            if self.cell in student.cell_errors:  # what was defined before is still there
                return
            for case in cases:
                right = is_right(student, case)
                if right is None:
                    break
                yield right
            else:
                return
        self.deaths += 1
        self._end()

    def ask_alone(self, text: str, cases: Iterable[Case]) -> Generator[bool, None, None]:
        """The same in a fork of its own, in which nothing else has run, until it is closed."""
        with self._student_of(with_cell(self._submission, self.cell, text)) as student:
            student.run()
            if self.cell not in student.cell_errors:
                yield from (bool(is_right(student, case)) for case in cases)

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
            return {}
        finally:
            self._end()
