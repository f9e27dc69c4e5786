"""A class graded on a Dask cluster: submissions travel as bytes, and so do their results.

The scheduler hands out what is asked of it, and hands out again what a worker had that died. Every
worker gets the files that the exam is made of, holds a server behind its own walls, and grades one
submission at a time. What cannot travel, as a link or a folder that is closed, is graded here.
"""

import contextlib
import logging
from collections import deque
from collections.abc import Generator, Sequence
from concurrent.futures import CancelledError
from types import ModuleType
from typing import Any

from autograder.course import Result
from autograder.grading.classroom import HandedIn, Room
from autograder.grading.desk import (
    ClusterUnfit,
    Packed,
    Parcel,
    as_it_is,
    grade_there,
    leave_signals_to_the_grader,
)
from autograder.grading.exam import limits_of, prepare
from autograder.grading.submission import failed_result
from autograder.sandbox.folder import sweep
from autograder.sandbox.host import Server

LOCAL = "local"  # in the place of an address: a cluster of this machine, for this run
_AHEAD = 2  # submissions that are asked for, for each of the cluster's threads
_AT_LEAST = 16  # of them, where there is no worker yet


def graded_on(
    scheduler: str, room: Room, handed_in: Sequence[HandedIn], jobs: int
) -> Generator[Result]:
    """Each result as soon as it is known, by the workers of a scheduler; none is held on to.

    scheduler: its address, or LOCAL for one with `jobs` workers. Raises ClusterUnfit, and the
    machine's OSError, as where no scheduler answers.
    """
    if not handed_in:
        return
    distributed = _distributed()
    origin = room.origin  # before the exam: what changes between is graded again
    exam = prepare(room.course, room.assignment_id, room.secret)  # what is broken shows here
    waiting, asked = deque(handed_in), dict[Any, tuple[HandedIn, dict[str, str]]]()
    with contextlib.ExitStack() as stack:
        stack.callback(sweep)  # what workers left who died
        here = stack.enter_context(Server(room.wall, limits_of(exam.assignment)))
        client = stack.enter_context(_client(distributed, scheduler, jobs, stack))
        # Not scattered: what is the outcome of a task is made again when all who had it died.
        desk = client.submit(as_it_is, Packed.of(room, origin.parts), pure=False)
        done = distributed.as_completed(loop=client.loop)
        while waiting or asked:
            ahead = max(_AHEAD * sum(client.nthreads().values()), _AT_LEAST)
            while waiting and len(asked) < ahead:
                one = waiting.popleft()
                came_from = origin.of(one.path)
                parcel = Parcel.of(one, exam.assignment)
                if parcel is None:
                    yield origin.grade(one.student, one.path, exam, here)
                    continue
                future = client.submit(grade_there, desk, parcel, pure=False)
                asked[future] = one, came_from
                done.add(future)
            if not asked:
                continue
            future = next(done)
            one, came_from = asked.pop(future)
            try:
                result = Result.model_validate_json(future.result())
            except distributed.KilledWorker:
                why = "the grader's process died of it again and again"
                yield failed_result(one.student, exam, room.wall, why)
            except CancelledError as error:
                raise ConnectionError(f"the scheduler {scheduler} is gone") from error
            except ImportError as error:
                raise ClusterUnfit(
                    f"a worker of {scheduler} has no autograder as it is here ({error}): install "
                    "the same one, with the same torch, in the workers' environment"
                ) from error
            else:
                yield result.model_copy(update={"came_from": came_from})


def _distributed() -> ModuleType:
    try:
        import distributed
    except ImportError as error:
        raise ClusterUnfit(
            f"grading on a cluster needs Dask, which is not installed ({error}): "
            "pip install distributed"
        ) from error
    module: ModuleType = distributed
    return module


def _client(distributed: ModuleType, scheduler: str, jobs: int, stack: contextlib.ExitStack) -> Any:
    if scheduler != LOCAL:
        return distributed.Client(scheduler, set_as_default=False)
    cluster = distributed.LocalCluster(
        n_workers=jobs,
        threads_per_worker=1,
        dashboard_address=None,
        memory_limit=None,
        silence_logs=logging.CRITICAL,
    )
    client = distributed.Client(stack.enter_context(cluster), set_as_default=False)
    client.run(leave_signals_to_the_grader)  # at Ctrl-C each of them would print a traceback
    return client
