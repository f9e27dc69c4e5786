"""A whole class: each worker holds a server behind walls and grades one submission at a time.

A result is written as soon as it is known; whatever ends the run, what was written stays. When a
worker dies, which is a fault of ours, the submission that it had in hand is tried once more by a
new worker; if that one dies of it too, it is an internal error, and the rest of the class is graded
all the same.
"""

import contextlib
import gc
import multiprocessing
import os
import signal
import sys
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path

import torch

from autograder.course import Course, Result
from autograder.grading.exam import Exam, limits_of, prepare
from autograder.grading.submission import failed_result, grade
from autograder.notebooks import has_handed_in, student_name
from autograder.sandbox.host import Server

_TRIES = 2


@dataclass(frozen=True)
class HandedIn:
    """What one student handed in: a folder, or a file."""

    student: str
    path: Path


@dataclass(frozen=True)
class Room:
    """How a class is graded."""

    course: Course
    assignment_id: str
    results: Path
    wall: str
    secret: str

    def result_path(self, student: str) -> Path:
        """Where a student's result file lies."""
        return self.results / self.assignment_id / f"{student}.json"


def find_class(submitted: Path, assignment_id: str) -> list[HandedIn]:
    """The submissions in nbgrader's layout, submitted/<student>/<assignment>/, readable or not."""
    return [
        HandedIn(student_name(folder.name), folder / assignment_id)
        for folder in sorted(submitted.iterdir())
        if has_handed_in(folder, assignment_id)
    ]


def default_jobs() -> int:
    """As many workers as this process may use cores."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def grade_class(
    room: Room, handed_in: Sequence[HandedIn], jobs: int, tell: Callable[[Result], None]
) -> list[Result]:
    """Grade a class with `jobs` workers; `tell` hears of each result. Sorted by student.

    Raises OSError when a result cannot be written. Then, and when it is interrupted, workers end.
    """
    exam = prepare(room.course, room.assignment_id, room.secret)  # what is broken shows here
    waiting, tries = deque(handed_in), Counter[str]()
    workers: dict[Connection, _Worker] = {}
    done: dict[str, Result] = {}

    def finish(result: Result) -> None:
        result.write(room.result_path(result.student))
        done[result.student] = result
        tell(result)

    try:
        while waiting or workers:
            while waiting and len(workers) < jobs:
                worker = _Worker(room, exam, list(workers))
                workers[worker.connection] = worker
                worker.take(waiting.popleft())
            for ready in wait(list(workers)):
                assert isinstance(ready, Connection)
                worker = workers[ready]
                result = worker.result()
                if result is not None:
                    finish(result)
                    if waiting:
                        worker.take(waiting.popleft())
                        continue
                elif tries[worker.in_hand.student] + 1 < _TRIES:
                    tries[worker.in_hand.student] += 1
                    waiting.append(worker.in_hand)
                else:
                    why = f"the grader's process died of it {_TRIES} times"
                    finish(failed_result(worker.in_hand.student, exam, room.wall, why))
                worker.dismiss()
                del workers[ready]
    finally:
        for worker in workers.values():
            worker.stop()
    return [done[student] for student in sorted(done)]


class _Worker:
    """A process that grades what it is handed, until it is dismissed."""

    in_hand: HandedIn

    def __init__(self, room: Room, exam: Exam, others: list[Connection]) -> None:
        # Forked, it has torch and the reference already.
        context = multiprocessing.get_context("fork")
        self.connection, theirs = context.Pipe()
        # A fork holds the others' pipes too, whose workers would never see them close.
        ours = [*others, self.connection]
        self._process: BaseProcess = context.Process(target=_work, args=(room, exam, theirs, ours))
        self._process.start()
        theirs.close()

    def take(self, one: HandedIn) -> None:
        """Hand it a submission; that it is dead shows when its result is asked for."""
        self.in_hand = one
        with contextlib.suppress(BrokenPipeError):
            self.connection.send(one)

    def result(self) -> Result | None:
        """The result of what it has in hand; None when it died. Raises the machine's OSError."""
        try:
            result = self.connection.recv()
        except (EOFError, ConnectionError):
            return None
        if isinstance(result, OSError):
            raise result
        assert isinstance(result, Result)
        return result

    def dismiss(self) -> None:
        """Let it end, with its server."""
        self.connection.close()
        self._process.join()

    def stop(self) -> None:
        """End it, whatever it has in hand, and its server."""
        self._process.terminate()
        self.dismiss()


def _work(room: Room, exam: Exam, connection: Connection, parents: list[Connection]) -> None:
    for each in parents:
        each.close()
    # Ctrl-C reaches all that a terminal has started; it is the parent that then ends its workers.
    signal.signal(signal.SIGINT, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # leaving the server in order
    torch.set_num_threads(1)  # as many workers as cores: more threads only wait for each other
    try:
        with Server(room.wall, limits_of(exam.assignment)) as server:
            gc.freeze()  # what is here by now stays: no use in looking whether it is garbage
            while True:
                one: HandedIn = connection.recv()
                connection.send(grade(one.student, one.path, exam, server))
    except EOFError:
        return
    except OSError as error:  # there is no room for a server, say
        with contextlib.suppress(OSError):
            connection.send(error)
