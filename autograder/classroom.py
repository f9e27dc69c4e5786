"""A whole class: each worker holds a server behind walls and grades one submission at a time.

A result is written as soon as it is known. When a worker dies, which is a fault of ours, the
submissions it left are tried again, each in a worker of its own; one that ends its worker again
is an internal error, and the others are graded all the same.
"""

import multiprocessing
import multiprocessing.util
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path

import torch

from autograder.course import Course
from autograder.grading import Exam, failed_result, grade, limits_of, prepare
from autograder.result import Result
from autograder.sandbox.walls import Server


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


def find_class(submitted: Path, assignment_id: str) -> list[HandedIn]:
    """The submissions in nbgrader's layout: submitted/<student>/<assignment>/."""
    return [
        HandedIn(folder.name, folder / assignment_id)
        for folder in sorted(submitted.iterdir())
        if (folder / assignment_id).is_dir()
    ]


def result_path(results: Path, assignment_id: str, student: str) -> Path:
    """Where a student's result file lies."""
    return results / assignment_id / f"{student}.json"


def grade_class(
    room: Room, handed_in: Sequence[HandedIn], jobs: int, tell: Callable[[Result], None]
) -> list[Result]:
    """Grade a class with `jobs` workers; `tell` hears of each result. Sorted by student."""
    exam = prepare(room.course, room.assignment_id, room.secret)  # what is broken shows here
    done: dict[str, Result] = {}
    left = list(handed_in)
    for result in _in_pool(room, exam, left, max(1, min(jobs, len(left)))):
        done[result.student] = result
        tell(result)
    for one in [each for each in left if each.student not in done]:
        result = next(
            _in_pool(room, exam, [one], 1),
            failed_result(one.student, exam, room.wall, "the grader's process died of it, twice"),
        )
        result.write(result_path(room.results, room.assignment_id, one.student))
        done[one.student] = result
        tell(result)
    return [done[student] for student in sorted(done)]


def _in_pool(room: Room, exam: Exam, left: Sequence[HandedIn], jobs: int) -> Iterator[Result]:
    """Results as they come; ends early when a worker dies."""
    # Forked, the workers have torch and the reference already.
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(jobs, context, _open, (room, exam)) as pool:
        futures: list[Future[Result]] = [pool.submit(_grade, each) for each in left]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BrokenProcessPool:
            return
        finally:
            pool.shutdown(cancel_futures=True)


class _Worker:
    room: Room
    exam: Exam
    server: Server


def _open(room: Room, exam: Exam) -> None:
    torch.set_num_threads(1)  # as many workers as cores: more threads only wait for each other
    _Worker.room, _Worker.exam = room, exam
    _Worker.server = Server(room.wall, limits_of(exam.assignment))
    multiprocessing.util.Finalize(None, _Worker.server.close, exitpriority=1)


def _grade(one: HandedIn) -> Result:
    room = _Worker.room
    result = grade(one.student, one.path, _Worker.exam, _Worker.server)
    result.write(result_path(room.results, room.assignment_id, one.student))
    return result


def default_jobs() -> int:
    """As many workers as this process may use cores."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
