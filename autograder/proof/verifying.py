"""Assignments verified, several at the same time: most of what is tried keeps one core busy."""

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import SimpleQueue

import torch

from autograder.course import Assignment, Course, counted
from autograder.proof.promises import Finding, try_promises

_Said = tuple[str, Finding | str | None]  # of which assignment; None: all is said of it


def verify(
    course: Course,
    assignments: Sequence[Assignment],
    wall: str,
    jobs: int,
    tell: Callable[[str], None],
) -> Iterator[Finding]:
    """Try every promise on these assignments, with so many workers; `tell` hears what is done.

    Findings come in the order of the assignments, whichever ends first. The manifest is valid, or
    there would be no course. Problems that keep an assignment from being tried at all are raised,
    as by `prepare` and `build`.
    """
    points = sum(each.max_score for each in course.assignments)
    count = sum(len(each.items) for each in course.assignments)
    parts = counted(len(course.assignments), "assignment"), counted(count, "item")
    said = f"{', '.join(parts)}, {points:g} points"
    yield Finding("course.yml", "valid", said)
    at_once = min(jobs, len(assignments))
    if at_once > 1:
        yield from _side_by_side(course, assignments, wall, jobs, at_once, tell)
        return
    for assignment in assignments:
        yield from try_promises(course, assignment, wall, jobs, tell)


def _side_by_side(
    course: Course,
    assignments: Sequence[Assignment],
    wall: str,
    jobs: int,
    at_once: int,
    tell: Callable[[str], None],
) -> Iterator[Finding]:
    context = multiprocessing.get_context("spawn")
    told: SimpleQueue[_Said] = context.SimpleQueue()
    found: dict[str, list[Finding]] = {each.id: [] for each in assignments}
    ended: set[str] = set()
    pool = ProcessPoolExecutor(at_once, context, _hear, (told,))
    try:
        ends = {each: pool.submit(_try, course, each, wall, jobs // at_once) for each in found}
        for name, end in ends.items():
            end.add_done_callback(partial(_end, told, name))
        for name, end in ends.items():
            while name not in ended:
                of, said = told.get()
                if said is None:
                    ended.add(of)
                elif isinstance(said, str):
                    tell(said)
                else:
                    found[of].append(said)
                yield from found[name]
                found[name].clear()
            yield from found[name]
            end.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _end(told: "SimpleQueue[_Said]", name: str, _: object) -> None:
    told.put((name, None))


_told: "SimpleQueue[_Said] | None" = None


def _hear(told: "SimpleQueue[_Said]") -> None:
    global _told
    _told = told
    torch.set_num_threads(1)  # as many processes as cores


def _try(course: Course, name: str, wall: str, jobs: int) -> None:
    assert _told is not None
    put: Callable[[_Said], None] = _told.put
    assignment = course.assignment(name)
    for each in try_promises(course, assignment, wall, jobs, lambda text: put((name, text))):
        put((name, each))
