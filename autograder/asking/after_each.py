"""One question after each of many cells, a few of which are always on their way.

Neither side waits for the other: while an answer is looked at, the next cells run.
"""

from collections import deque
from collections.abc import Iterable, Iterator

from autograder.asking.remote import RemoteStudent
from autograder.asking.student import Cell, Question, StudentError
from autograder.sandbox.session import Answer

_AHEAD_BYTES = 1 << 16  # fit into the socket, whatever the other side does


def ask_after_each(
    student: RemoteStudent, cells: Iterable[Cell], question: Question
) -> Iterator[Answer | StudentError | None]:
    """What a question is answered after each cell has been run over those before it.

    None after a cell that raised. Raises StudentError when the process ends: that is of the first
    cell of which nothing was told.
    """
    student.ready(question.name)
    left, sent, waiting = iter(cells), deque[tuple[Cell, int]](), 0
    while True:
        while not sent or waiting + sent[-1][1] <= _AHEAD_BYTES:
            cell = next(left, None)
            if cell is None:
                break
            size = student.put_cell(cell) + len(question.frame)
            student.put(question)
            sent.append((cell, size))
            waiting += size
        if not sent:
            return
        cell, size = sent.popleft()
        waiting -= size
        yield _answered(student, cell, question)


def _answered(
    student: RemoteStudent, cell: Cell, question: Question
) -> Answer | StudentError | None:
    student.cell_errors.pop(cell.name, None)
    student.ran(cell)
    raised = cell.name in student.cell_errors  # then what answers is the cell before
    try:
        answer = student.answer(question)
    except StudentError as error:
        student.ready(question.name)  # raises where the process ended of it
        return None if raised else error
    return None if raised else answer
