"""One thing done for each of many students, by several processes, in the students' order.

Each process takes every so-manieth student and hands back what came of it through a pipe, which
holds it up while nobody takes that: however many students there are, little is in memory.
"""

import multiprocessing
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from autograder.grading import ends_with_the_parent, start_forked

__all__ = ["by_several"]

_Of = TypeVar("_Of")
_Made = TypeVar("_Made")
_WORTH_IT = 20  # students: with fewer, a process costs more than it spares


@contextmanager
def by_several(
    work: Callable[[_Of], _Made], these: Sequence[_Of], processes: int
) -> Iterator[Iterator[_Made]]:
    """What `work` makes of each of these, in their order; raises what it raises.

    Forked, the processes have all that is here now, so no gradebook should be open.
    """
    if processes == 1 or len(these) < _WORTH_IT:
        yield map(work, these)
        return
    started, pipes = [], list[Connection]()
    try:
        for number in range(processes):
            ours, theirs = multiprocessing.Pipe(duplex=False)
            pipes.append(ours)
            started.append(start_forked(_work, work, these[number::processes], theirs, [*pipes]))
            theirs.close()
        yield (_next(pipes[number % processes]) for number in range(len(these)))
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.join()
        for each in pipes:
            each.close()


def _next(pipe: Connection) -> Any:
    try:
        made = pipe.recv()
    except EOFError:
        raise ChildProcessError("a process that was writing pages has died") from None
    if isinstance(made, BaseException):
        raise made
    return made


def _work(
    work: Callable[[_Of], object], these: Sequence[_Of], made: Connection, pipes: list[Connection]
) -> None:
    for each in pipes:
        each.close()
    ends_with_the_parent(lambda *_: sys.exit(0))
    try:
        for one in these:
            made.send(work(one))
    except BrokenPipeError:  # nobody asks any more
        return
    except Exception as error:
        made.send(error)
