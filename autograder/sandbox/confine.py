"""What a fork gives up before it runs a line of the student's: resources, calls, files.

The server already stands inside walls. Each fork adds its own, so that it can neither touch
the server that it came from nor leave anything behind for the next submission:
    resource limits   address space, processor time, file size, open files, no core dump
    a call filter     (seccomp) no process, no signal to others, no socket, no tracing, no
                      change of who owns or may read a file
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


# Numbers of system calls (Linux's own tables), on the machines of _MACHINES in their order.
_CALLS: dict[str, tuple[int, int | None]] = {
    "clone": (56, 220),
    "clone3": (435, 435),
    "kill": (62, 129),
    "tgkill": (234, 131),
    "prlimit64": (302, 261),
    "tkill": (200, 130),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_send_signal": (424, 424),
    "pidfd_getfd": (438, 438),
    "fcntl": (72, 25),
    "ioctl": (16, 29),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "socket": (41, 198),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "perf_event_open": (298, 241),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "io_uring_setup": (425, 425),
    "personality": (135, 92),
    "open_by_handle_at": (304, 265),
    "execve": (59, 221),
    "execveat": (322, 281),
    "fork": (57, None),
    "vfork": (58, None),
    # Landlock lets a file's owner change these of any file, readable or not.
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "setxattrat": (463, 463),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "removexattrat": (466, 466),
    "file_setattr": (469, 469),
    # It lets anyone watch a folder that he may not list.
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
    # The priority and the processors of others, the server's among them.
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    # Memory that no limit on address space or files counts.
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
}
_MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_NEW_PROCESS = ("clone", "clone3", "fork", "vfork", "execve", "execveat")
_ON_A_PROCESS = (
    *("kill", "tgkill", "prlimit64"),
    *("sched_setaffinity", "sched_setattr", "sched_setparam", "sched_setscheduler"),
)
# Commands that name a process, or oneself, to be sent a signal when a descriptor is ready, when a
# folder changes, or when somebody opens a file.
_COMMANDS = {
    "fcntl": (8, 10, 15, 1024, 1026),  # F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE, F_NOTIFY
    "ioctl": (0x8901, 0x8902),  # FIOSETOWN, SIOCSPGRP
}

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _FAIL = 0x7FFF0000, 0x80000000, 0x00050000
_EPERM, _ENOSYS = 1, 38
_CLONE_THREAD = 0x00010000


def knows_this_machine() -> bool:
    """Whether the call filter can be written for this processor."""
    return platform.machine() in _MACHINES


def _filter_calls(*, processes_allowed: bool) -> None:
    machine = list(_MACHINES).index(platform.machine())
    allow, refuse = (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _FAIL | _EPERM)
    program = [
        (_LOAD, 0, 0, 4),  # the architecture
        (_EQUAL, 1, 0, _MACHINES[platform.machine()]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, 0),  # the call's number
        (_AT_LEAST, 0, 1, 0x40000000),  # x86's second table of the same calls
        refuse,
    ]
    for name, numbers in _CALLS.items():
        number = numbers[machine]
        if number is None or (name in _NEW_PROCESS and processes_allowed):
            continue
        if name == "clone":  # threads are fine, processes are not
            program += [(_EQUAL, 0, 4, number), (_LOAD, 0, 0, 16), (_ANY_BIT, 0, 1, _CLONE_THREAD)]
            program += [allow, refuse]
        elif name == "clone3":  # its flags lie behind a pointer; libc then falls back on clone
            program += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _FAIL | _ENOSYS)]
        elif name in _ON_A_PROCESS:  # on itself only; 0 is itself too
            program += [(_EQUAL, 0, 5, number), (_LOAD, 0, 0, 16), (_EQUAL, 1, 0, os.getpid())]
            program += [(_EQUAL, 0, 1, 0), allow, refuse]
        elif name in _COMMANDS:
            commands = _COMMANDS[name]
            program += [(_EQUAL, 0, 2 + 2 * len(commands), number), (_LOAD, 0, 0, 24)]
            for command in commands:
                program += [(_EQUAL, 0, 1, command), refuse]
            program.append(allow)
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
