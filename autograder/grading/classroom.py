"""A whole class: each worker holds a server behind walls and grades one submission at a time.

A result is written as soon as it is known; whatever ends the run, what was written stays. When a
worker dies, which is a fault of ours, the submission that it had in hand is tried once more by a
new worker; if that one dies of it too, it is an internal error, and the rest of the class is graded
all the same. When the grader dies, its workers end, with their servers and their folders.
"""

import contextlib
import multiprocessing
import os
import signal
from collections import Counter, deque
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import cached_property
from multiprocessing.connection import Connection, wait
from pathlib import Path

import torch

from autograder.course import Course, Result, state_folder
from autograder.grading.exam import Exam, limits_of, prepare
from autograder.grading.forked import ends_with_the_parent, start_forked
from autograder.grading.garbage import hardly_look_for_garbage
from autograder.grading.origin import Origin, origin_of
from autograder.grading.submission import failed_result
from autograder.notebooks import has_handed_in, student_name
from autograder.sandbox.folder import sweep
from autograder.sandbox.host import Server

_TRIES = 2
_END_SECONDS = 5  # for a worker to leave everything in order


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

    @property
    def folder(self) -> Path:
        """Where the result files lie."""
        return self.results / self.assignment_id

    @property
    def state(self) -> Path:
        """What is kept from one run to the next."""
        return state_folder(self.results, self.assignment_id)

    def result_path(self, student: str) -> Path:
        """Where a student's result file lies."""
        return self.folder / f"{student}.json"

    @cached_property
    def origin(self) -> Origin:
        """What its results come from."""
        return origin_of(self.course, self.assignment_id, self.secret, self.wall)


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

    Raises as `graded` does.
    """
    done: dict[str, Result] = {}
    for result in graded(room, handed_in, jobs):
        result.write(room.result_path(result.student))
        done[result.student] = result
        tell(result)
    return [done[student] for student in sorted(done)]


def graded(room: Room, handed_in: Sequence[HandedIn], jobs: int) -> Generator[Result]:
    """Each result as soon as it is known, by `jobs` workers; none of them is held on to.

    Raises the machine's OSError. Then, and when nobody asks for more, the workers end.
    """
    if not handed_in:
        return
    # As many workers as cores: more threads, of theirs or now, only wait for each other.
    torch.set_num_threads(1)
    origin = room.origin  # before the exam: what changes between is graded again
    exam = prepare(room.course, room.assignment_id, room.secret)  # what is broken shows here
    waiting, tries = deque(handed_in), Counter[str]()
    workers: dict[Connection, _Worker] = {}
    try:
        while waiting or workers:
            while waiting and len(workers) < jobs:
                worker = _Worker(room, origin, exam, list(workers))
                workers[worker.connection] = worker
                worker.take(waiting.popleft())
            for ready in wait(list(workers)):
                assert isinstance(ready, Connection)
                worker = workers[ready]
                one, result = worker.in_hand, worker.result()
                if result is not None and waiting:
                    worker.take(waiting.popleft())  # it does not wait for what becomes of this one
                    yield result
                    continue
                del workers[ready]
                worker.dismiss()
                tries[one.student] += 1
                if result is not None:
                    yield result
                elif tries[one.student] < _TRIES:
                    waiting.append(one)
                else:
                    why = f"the grader's process died of it {_TRIES} times"
                    yield failed_result(one.student, exam, room.wall, why)
    finally:
        for worker in workers.values():
            worker.stop()
        sweep()  # what those left who died


class _Worker:
    """A process that grades what it is handed, until it is dismissed."""

    in_hand: HandedIn

    def __init__(self, room: Room, origin: Origin, exam: Exam, others: list[Connection]) -> None:
        # Forked, it has torch and the reference already.
        self.connection, theirs = multiprocessing.Pipe()
        # A fork holds the others' pipes too, whose workers would never see them close.
        ours = [*others, self.connection]
        self._process = start_forked(_work, room.wall, origin, exam, theirs, ours)
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


def _work(
    wall: str, origin: Origin, exam: Exam, connection: Connection, parents: list[Connection]
) -> None:
    for each in parents:
        each.close()
    try:
        ends_with_the_parent(_leave)
        with Server(wall, limits_of(exam.assignment)) as server:
            hardly_look_for_garbage()
            while True:
                one: HandedIn = connection.recv()
                connection.send(origin.grade(one.student, one.path, exam, server))
    except (EOFError, KeyboardInterrupt):
        return
    except OSError as error:  # there is no room for a server, say
        with contextlib.suppress(OSError):
            connection.send(error)


def _leave(*_: object) -> None:
    """Leave the server in order; without it, if that takes too long or a check goes on over it."""
    signal.alarm(_END_SECONDS)
    raise KeyboardInterrupt
