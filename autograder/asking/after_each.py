"""One question after each of many cells, a few of which are always on their way.

Neither side waits for the other: while an answer is looked at, the next cells run.
"""

from collections import deque
from collections.abc import Iterable, Iterator

from autograder.asking.remote import AHEAD_BYTES, RemoteStudent
from autograder.asking.student import Cell, Question, StudentError
from autograder.sandbox import wire
from autograder.sandbox.session import Answer


def ask_after_each(
    student: RemoteStudent, cells: Iterable[Cell], question: Question, seconds: float
) -> Iterator[Answer | StudentError]:
    """What a question is answered after each cell has been run over those before it.

    seconds: of the processor, for each; what takes more raises Overdue. After a cell that raised,
    what it defines is missing. Raises StudentError when the process ends: that is of the first cell
    of which nothing was told.
    """
    student.ready(question.name)
    student.put_weights(question)
    # What follows is asked after each cell.
    student.send(wire.encode({"op": "keep", "seconds": seconds}, {}))
    student.send(question.frame)
    left, sent, waiting = iter(cells), deque[int](), 0
    while True:
        while not sent or waiting + sent[-1] <= AHEAD_BYTES:
            cell = next(left, None)
            if cell is None:
                break
            student.cell_errors.pop(cell.name, None)  # that of the one before
            asked = {"name": cell.name, "source": cell.source, "defines": question.name}
            frame = wire.encode({"op": "again", **asked}, {})
            student.send(frame)
            sent.append(len(frame))
            waiting += len(frame)
        if not sent:
            return
        waiting -= sent.popleft()
        try:
            yield student.answer(question)
        except StudentError as error:
            student.ready(question.name)  # raises where the process ended of it
            yield error
