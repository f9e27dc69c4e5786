"""What a fork gives up before it runs a line of the student's: resources, calls, files.

The server may stand inside walls already. Each fork adds its own, so that it can neither touch
the server that it came from nor leave anything behind for the next submission:
    resource limits   address space, processor time, file size, open files, no core dump
    a file wall       (landlock.py) nothing writable but the scratch folder
    a call filter     (calls.py) nothing that reaches beyond the process and its folder
"""

import mmap
import resource
from dataclasses import dataclass

from autograder.sandbox import calls, landlock

_MIB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """What one submission may take; see course.yml."""

    wall_seconds: float
    call_seconds: float
    memory_mib: int
    processes: int
    output_bytes: int


def confine(limits: Limits, rules: int | None, space: int) -> None:
    """Raise the fork's own walls. Raises OSError when the kernel refuses: then nothing may run.

    rules: of landlock.py; None where the file wall is another's. space: bytes of address space that
    are in use before the submission takes any (`address_space`).
    """
    _limit_resources(limits, space)
    calls.give_up_new_privileges()
    if rules is not None:
        landlock.restrict(rules)
    calls.filter_calls(processes=limits.processes > 1)


def _limit_resources(limits: Limits, space: int) -> None:
    space += limits.memory_mib * _MIB
    seconds = int(limits.wall_seconds) + 1
    for what, value in (
        (resource.RLIMIT_AS, space),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, limits.output_bytes),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(what, (value, value))


def address_space() -> int:
    """Bytes of address space in use, found without /proc, which lies outside the walls.

    A limit below what is in use is allowed and refuses every new page: so the smallest limit
    under which one more page can be had is the size itself.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    low, high = 0, 1 << 47
    try:
        while high - low > _MIB:
            middle = (low + high) // 2
            resource.setrlimit(resource.RLIMIT_AS, (middle, hard))
            try:
                mmap.mmap(-1, mmap.PAGESIZE).close()
            except OSError:
                low = middle
            else:
                high = middle
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    return high
