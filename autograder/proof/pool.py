"""Processes that grade for the proof: each keeps one server for all that it is handed.

Starting a server behind walls takes longer than dozens of submissions, so unlike a class, which
starts its own, the proof shares a few among all assignments.
"""

import gc
import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing.util import Finalize
from typing import TypeVar

import torch

from autograder.course import Course, Result
from autograder.diagnosis import Fault
from autograder.grading import (
    Exam,
    HandedIn,
    grade,
    hardly_look_for_garbage,
    limits_of,
    prepare,
)
from autograder.proof.locating import Sought, Wrong, locate_all
from autograder.proof.mutants import Mutant, Tried, mutant_limits, try_mutants
from autograder.sandbox.confine import Limits
from autograder.sandbox.host import Server

SECRET = "what the proof draws its inputs from"  # anything will do, and always the same
_AT_ONCE = 12  # handed over together: what neighbours were asked is remembered in one process

_One = TypeVar("_One")
_Graded = TypeVar("_Graded")


class Pool:
    """Grades submissions and mutants of any assignment, several at the same time."""

    def __init__(self, processes: ProcessPoolExecutor, jobs: int) -> None:
        self._processes = processes
        self._jobs = jobs

    def grade(
        self, assignment_id: str, class_: Sequence[HandedIn], tell: Callable[[int, int], None]
    ) -> dict[str, Result]:
        """The results of a class, by student. tell: hears of how many of how many are done."""
        return {each.student: each for each in self._each(_grade, assignment_id, class_, tell)}

    def measure(
        self, assignment_id: str, faults: Sequence[Fault], tell: Callable[[int, int], None]
    ) -> dict[str, dict[str, dict[str, int]]]:
        """In how many cases of which item each fault shows, by component. tell: as of `grade`."""
        found = dict(self._each(_measure, assignment_id, faults, tell))
        shows: dict[str, dict[str, dict[str, int]]] = {}
        for each in faults:
            shows.setdefault(each.component, {})[each.name] = found[each.id]
        return shows

    def try_mutants(
        self, assignment_id: str, mutants: Sequence[Mutant], tell: Callable[[int, int], None]
    ) -> tuple[Tried, ...]:
        """What became of each mutant, in their order. tell: as of `grade`."""
        tried = self._each(_try, assignment_id, mutants, tell)
        return tuple(sorted(tried, key=lambda each: each.mutant.number))

    def locate(
        self, assignment_id: str, wrong: Sequence[Wrong], tell: Callable[[int, int], None]
    ) -> tuple[Sought, ...]:
        """What is told of where each of these is wrong. tell: as of `grade`."""
        found = self._each(_locate, assignment_id, wrong, tell)
        return tuple(sorted(found, key=lambda each: each.name))

    def _each(
        self,
        look: Callable[[str, Sequence[_One]], list[_Graded]],
        assignment_id: str,
        every: Sequence[_One],
        tell: Callable[[int, int], None],
    ) -> list[_Graded]:
        waiting = {
            self._processes.submit(look, assignment_id, part): len(part)
            for part in in_parts(every, self._jobs)
        }
        found: list[_Graded] = []
        done = 0  # no line is looked for where nothing is lost: of some, nothing is found
        for each in as_completed(waiting):
            found += each.result()
            done += waiting[each]
            tell(done, len(every))
        return found


@contextmanager
def open_pool(course: Course, wall: str, jobs: int) -> Iterator[Pool]:
    """So many processes, which end with this context."""
    fork = multiprocessing.get_context("fork")  # they have torch already
    with ProcessPoolExecutor(jobs, fork, _begin, (course, wall)) as processes:
        yield Pool(processes, jobs)


def in_parts(every: Sequence[_One], jobs: int) -> Iterator[Sequence[_One]]:
    """In their order; smaller ones towards the end, so that nobody waits long for the others."""
    at = 0
    while at < len(every):
        count = max(1, min(_AT_ONCE, (len(every) - at) // (2 * jobs)))
        yield every[at : at + count]
        at += count


class _Process:
    """What one process keeps: a server, and what grading the last assignment took."""

    def __init__(self, course: Course, wall: str) -> None:
        # Lines are looked for by themselves: faults are to be named.
        without = [each.model_copy(update={"locate": False}) for each in course.assignments]
        self._course = course.model_copy(update={"assignments": tuple(without)})
        self._wall = wall
        self._server: Server | None = None
        self._exam: Exam | None = None
        Finalize(None, self._close, exitpriority=1)

    def exam(self, assignment_id: str) -> Exam:
        if self._exam is None or self._exam.assignment.id != assignment_id:
            self._exam = None
            gc.unfreeze()  # or the last one's answers, gigabytes of them, would stay for ever
            gc.collect()
            self._exam = prepare(self._course, assignment_id, SECRET)
            hardly_look_for_garbage()
        return self._exam

    def server(self, limits: Limits) -> Server:
        if self._server is None or self._server.limits.processes != limits.processes:
            self._close()
            self._server = Server(self._wall, limits)  # how many processes, its walls must know
        self._server.limits = limits
        return self._server

    def _close(self) -> None:
        if self._server is not None:
            self._server.close()


_process: _Process  # this one, once it has begun


def _begin(course: Course, wall: str) -> None:
    global _process
    torch.set_num_threads(1)  # as many processes as cores: more threads only wait for each other
    _process = _Process(course, wall)


def _grade(assignment_id: str, class_: Sequence[HandedIn]) -> list[Result]:
    exam = _process.exam(assignment_id)
    server = _process.server(limits_of(exam.assignment))
    return [grade(each.student, each.path, exam, server) for each in class_]


def _measure(assignment_id: str, faults: Sequence[Fault]) -> list[tuple[str, dict[str, int]]]:
    bank = _process.exam(assignment_id).bank
    of = {component.name: component for component in bank.components}
    return [(each.id, dict(bank.shows(of[each.component], each))) for each in faults]


def _try(assignment_id: str, mutants: Sequence[Mutant]) -> list[Tried]:
    exam = _process.exam(assignment_id)
    return try_mutants(exam, _process.server(mutant_limits(exam)), mutants)


def _locate(assignment_id: str, wrong: Sequence[Wrong]) -> list[Sought]:
    exam = _process.exam(assignment_id)
    return locate_all(exam, _process.server(limits_of(exam.assignment)), wrong)
