"""What a fork gives up before it runs a line of the student's: resources, calls, files.

The server already stands inside walls. Each fork adds its own, so that it can neither touch
the server that it came from nor leave anything behind for the next submission:
    resource limits   address space, processor time, file size, open files, no core dump
    a call filter     (seccomp) no process, no signal to others, no socket, no tracing
    a file wall       (Landlock, where the kernel has it) nothing writable but the scratch folder
"""

import ctypes
import mmap
import os
import platform
import resource
import struct
from dataclasses import dataclass

_MIB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """What one submission may take; see course.yml."""

    wall_seconds: float
    call_seconds: float
    memory_mib: int
    processes: int
    output_bytes: int


def confine(limits: Limits, scratch: str, *, landlock: bool) -> None:
    """Raise the fork's own walls. Raises OSError when the kernel refuses: then nothing may run."""
    if landlock:
        import sandlock  # where the server stands behind sandlock, it can be imported

        # The outer wall stays; this one takes away writing outside `scratch`, and signals out.
        sandlock.confine(sandlock.Sandbox(fs_readable=["/"], fs_writable=[scratch, "/dev/null"]))
    _limit_resources(limits)
    _filter_calls(processes_allowed=limits.processes > 1)


def _limit_resources(limits: Limits) -> None:
    space = _address_space() + limits.memory_mib * _MIB
    seconds = int(limits.wall_seconds) + 1
    for what, value in (
        (resource.RLIMIT_AS, space),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, limits.output_bytes),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(what, (value, value))


def _address_space() -> int:
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


# Numbers of system calls on the machines that the filter knows (Linux's own tables).
_NAMES = (
    "clone clone3 kill tgkill prlimit64 tkill pidfd_send_signal pidfd_getfd ptrace "
    "process_vm_readv process_vm_writev socket unshare setns mount umount2 pivot_root chroot "
    "bpf userfaultfd perf_event_open keyctl add_key request_key shmget semget msgget mq_open "
    "io_uring_setup personality open_by_handle_at execve execveat fork vfork"
).split()
_X86_64 = (
    *(56, 435, 62, 234, 302, 200, 424, 438, 101),
    *(310, 311, 41, 272, 308, 165, 166, 155, 161),
    *(321, 323, 298, 250, 248, 249, 29, 64, 68, 240),
    *(425, 135, 304, 59, 322, 57, 58),
)
_AARCH64 = (
    *(220, 435, 129, 131, 261, 130, 424, 438, 117),
    *(270, 271, 198, 97, 268, 40, 39, 41, 51),
    *(280, 282, 241, 219, 217, 218, 194, 190, 186, 180),
    *(425, 92, 265, 221, 281),
)
_MACHINES = {
    "x86_64": (0xC000003E, dict(zip(_NAMES, _X86_64, strict=True))),
    "aarch64": (0xC00000B7, dict(zip(_NAMES[:-2], _AARCH64, strict=True))),
}
_NEW_PROCESS = ("clone", "clone3", "fork", "vfork", "execve", "execveat")
_ON_A_PROCESS = ("kill", "tgkill", "prlimit64")

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _FAIL = 0x7FFF0000, 0x80000000, 0x00050000
_EPERM, _ENOSYS = 1, 38
_CLONE_THREAD = 0x00010000


def knows_this_machine() -> bool:
    """Whether the call filter can be written for this processor."""
    return platform.machine() in _MACHINES


def _filter_calls(*, processes_allowed: bool) -> None:
    architecture, numbers = _MACHINES[platform.machine()]
    allow, refuse = (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _FAIL | _EPERM)
    program = [
        (_LOAD, 0, 0, 4),  # the architecture
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, 0),  # the call's number
        (_AT_LEAST, 0, 1, 0x40000000),  # x86's second table of the same calls
        refuse,
    ]
    for name, number in numbers.items():
        if name in _NEW_PROCESS and processes_allowed:
            continue
        if name == "clone":  # threads are fine, processes are not
            program += [(_EQUAL, 0, 4, number), (_LOAD, 0, 0, 16), (_ANY_BIT, 0, 1, _CLONE_THREAD)]
            program += [allow, refuse]
        elif name == "clone3":  # its flags lie behind a pointer; libc then falls back on clone
            program += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _FAIL | _ENOSYS)]
        elif name in _ON_A_PROCESS:  # on itself only; 0 is itself too
            program += [(_EQUAL, 0, 5, number), (_LOAD, 0, 0, 16), (_EQUAL, 1, 0, os.getpid())]
            program += [(_EQUAL, 0, 1, 0), allow, refuse]
        else:
            program += [(_EQUAL, 0, 1, number), refuse]
    program.append(allow)

    code = b"".join(struct.pack("HBBI", *step) for step in program)
    buffer = ctypes.create_string_buffer(code, len(code))
    descriptor = struct.pack("HxxxxxxP", len(program), ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    no_new_privileges, set_filter = 38, 22
    if libc.prctl(no_new_privileges, 1, 0, 0, 0) or libc.prctl(set_filter, 2, descriptor, 0, 0):
        raise OSError(ctypes.get_errno(), "the kernel refused the call filter")
