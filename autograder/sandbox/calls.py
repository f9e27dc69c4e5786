"""The kernel's calls that a submission may make; all others are refused (seccomp).

It is a list of what is allowed: the kernel grows new calls every year. On it stands what Python,
torch and numpy make in a fork, without what reaches beyond the process and its scratch folder.
The file wall cannot refuse what the owner of a file may do without opening it, nor what goes to
other processes; so none of these is on the list: changing modes, owners, times, attributes and
flags of files, truncating by name, readlink; signals, priorities, leases and owners of descriptors;
sockets but for connected pairs, message queues, shared memory, memory in files without a name.
"""

import ctypes
import functools
import os
import platform
import struct
from collections.abc import Iterator

# The machines that are known, by what the kernel calls their tables of calls.
_MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# A call's name, and its number on each of _MACHINES in their order; "-" where there is none.
_ALLOWED = """
    read 0 63  write 1 64  readv 19 65  writev 20 66  pread64 17 67  pwrite64 18 68
    preadv 295 69  pwritev 296 70  lseek 8 62  close 3 57  close_range 436 436  dup 32 23
    dup2 33 -  dup3 292 24  stat 4 -  fstat 5 80  lstat 6 -  newfstatat 262 79  statx 332 291
    access 21 -  faccessat 269 48  faccessat2 439 439  getdents 78 -  getdents64 217 61
    getcwd 79 17  chdir 80 49  fchdir 81 50  mkdir 83 -  mkdirat 258 34
    renameat2 316 276  link 86 -  linkat 265 37  symlink 88 -  symlinkat 266 36  ftruncate 77 46
    fsync 74 82  fdatasync 75 83  fadvise64 221 223  umask 95 166  sendfile 40 71  pipe 22 -
    pipe2 293 59

    brk 12 214  mmap 9 222  mprotect 10 226  munmap 11 215  mremap 25 216  madvise 28 233
    msync 26 227

    exit 60 93  exit_group 231 94  getpid 39 172  gettid 186 178  getppid 110 173
    getuid 102 174  geteuid 107 175  getgid 104 176  getegid 108 177  getresuid 118 148
    getresgid 120 150  getgroups 115 158  getpgrp 111 -  uname 63 160  sysinfo 99 179
    getrusage 98 165  times 100 153  getrlimit 97 163  setrlimit 160 164  getcpu 309 168
    arch_prctl 158 -  set_tid_address 218 96  set_robust_list 273 99  rseq 334 293
    futex 202 98  sched_yield 24 124  getrandom 318 278  wait4 61 260  waitid 247 95

    rt_sigaction 13 134  rt_sigprocmask 14 135  rt_sigreturn 15 139  rt_sigpending 127 136
    rt_sigtimedwait 128 137  rt_sigsuspend 130 133  sigaltstack 131 132
    restart_syscall 219 128  pause 34 -  alarm 37 -  getitimer 36 102  setitimer 38 103

    time 201 -  gettimeofday 96 169  clock_gettime 228 113  clock_getres 229 114
    nanosleep 35 101  clock_nanosleep 230 115

    select 23 -  pselect6 270 72  poll 7 -  ppoll 271 73  epoll_create 213 -
    epoll_create1 291 20  epoll_ctl 233 21  epoll_wait 232 -  epoll_pwait 281 22
    eventfd2 290 19

    sendto 44 206  recvfrom 45 207  shutdown 48 210  getsockname 51 204  getpeername 52 205
    getsockopt 55 209

    open 2 -  openat 257 56  kill 62 129  tgkill 234 131  prlimit64 302 261
    sched_getaffinity 204 123  fcntl 72 25  ioctl 16 29  prctl 157 167  socketpair 53 199
"""
# What is removed stays, and seems to be gone: a file that is open and has no name nobody would
# count. For the same reason nothing takes the name of another file (see fork.py), and nobody gets
# space without writing to it: that would be faster than anybody looks.
_DONE_NOT_DONE = "unlink 87 -  unlinkat 263 35  rmdir 84 -"
# Threads too: no wall counts them, and thousands take all of a machine's numbers for processes.
_FOR_PROCESSES = (
    "clone 56 220  fork 57 -  vfork 58 -  execve 59 221  execveat 322 281  setsid 112 157"
)
# From here on, libc knows an older call to do without: what is refused says that it is unknown.
# Among them is clone3, whose flags lie behind a pointer, where no filter can look.
_NEW_CALLS = 424

# What is looked at before a call is allowed: (position of the argument, its bits, their values).
_Looks = tuple[tuple[int, int, tuple[int, ...]], ...]
_EVERY_BIT = 0xFFFFFFFF
_THREAD, _NAMESPACES = 0x00010000, 0x7E020000
# Read only, write only, both; truncating only what is opened for writing: before its version 3
# Landlock asks for no leave to truncate, and none at all in the fourth mode. And no file without
# a name (O_TMPFILE), which nobody would count.
_MODE_BITS, _MODES = 0x3 | 0x200 | 0x400000, (0, 1, 2, 0x201, 0x202)
_STREAM, _UNIX = 1, 1

_LOAD, _AND, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_ALLOW, _KILL, _FAIL = 0x7FFF0000, 0x80000000, 0x00050000
_EPERM, _ENOSYS = 1, 38
_NUMBER, _MACHINE, _ARGUMENTS = 0, 4, 16  # where they lie in what a filter is shown
_Step = tuple[int, int, int, int]
_STEP = struct.Struct("HBBI")
_ITSELF = 0x49545345  # where the process's own number is to stand; no other value of the filter
_libc = ctypes.CDLL(None, use_errno=True)


def knows_this_machine() -> bool:
    """Whether the call filter can be written for this processor."""
    return platform.machine() in _MACHINES


def give_up_new_privileges() -> None:
    """No program that is executed gets any, from now on; the walls that follow ask for it."""
    no_new_privileges = 38
    _prctl(no_new_privileges, 1)


def filter_calls(*, processes: bool) -> None:
    """Allow what stands on the list, for good. Raises OSError.

    processes: new ones, too, and threads.
    """
    code, ours = packed(processes)
    buffer = ctypes.create_string_buffer(code, len(code))
    for at in ours:
        struct.pack_into("I", buffer, at, os.getpid())
    set_filter, by_program = 22, 2
    steps = len(code) // _STEP.size
    _prctl(set_filter, by_program, struct.pack("HxxxxxxP", steps, ctypes.addressof(buffer)))


@functools.cache
def packed(processes: bool) -> tuple[bytes, tuple[int, ...]]:
    """The filter as the kernel takes it, and where in it the process's own number is to stand.

    Asked once in the server, so that no fork has to.
    """
    steps = list(_program(processes, _ITSELF))
    code = b"".join(_STEP.pack(*step) for step in steps)
    return code, tuple(at * _STEP.size + 4 for at, step in enumerate(steps) if step[3] == _ITSELF)


def _program(processes: bool, itself: int) -> Iterator[_Step]:
    machine = list(_MACHINES).index(platform.machine())
    looks = _looks(itself)
    yield (_LOAD, 0, 0, _MACHINE)
    yield (_EQUAL, 1, 0, _MACHINES[platform.machine()])
    yield (_RETURN, 0, 0, _KILL)
    yield (_LOAD, 0, 0, _NUMBER)
    words = iter((_ALLOWED + _FOR_PROCESSES * processes).split())
    for name, *numbers in zip(words, words, words, strict=True):
        if numbers[machine] == "-":
            continue
        body = [step for look in looks.get(name, ()) for step in _look(*look)]
        body.append((_RETURN, 0, 0, _ALLOW))
        yield (_EQUAL, 0, len(body), int(numbers[machine]))
        yield from body
    words = iter(_DONE_NOT_DONE.split())
    for _, *numbers in zip(words, words, words, strict=True):
        if numbers[machine] != "-":
            yield (_EQUAL, 0, 1, int(numbers[machine]))
            yield (_RETURN, 0, 0, _FAIL)
    # x86's second table of the same calls has numbers above all others.
    yield (_AT_LEAST, 0, 1, _NEW_CALLS)
    yield (_RETURN, 0, 0, _FAIL | _ENOSYS)
    yield (_RETURN, 0, 0, _FAIL | _EPERM)


def _look(position: int, bits: int, values: tuple[int, ...]) -> Iterator[_Step]:
    """Go on when these bits of an argument are one of the values; else the call is refused."""
    yield (_LOAD, 0, 0, _ARGUMENTS + 8 * position)
    yield (_AND, 0, 0, bits)
    for left, value in zip(range(len(values), 0, -1), values, strict=True):
        yield (_EQUAL, left, 0, value)
    yield (_RETURN, 0, 0, _FAIL | _EPERM)


def _looks(number: int) -> dict[str, _Looks]:
    itself = (0, _EVERY_BIT, (0, number))
    # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC: none that names a process, or
    # has one sent a signal when somebody opens a file.
    commands = (0, 1, 2, 3, 4, 1030)
    # Is it a terminal (TCGETS, TCGETS2, TIOCGWINSZ), is there anything to read (FIONREAD), and
    # what fcntl does as well (FIONBIO, FIONCLEX, FIOCLEX). Others change flags of files.
    requests = (0x5401, 0x802C542A, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
    no_replace = 1
    names = (15, 16, 0x53564D41)  # of threads (PR_SET_NAME, PR_GET_NAME) and memory (PR_SET_VMA)
    return {
        "renameat2": ((4, _EVERY_BIT, (no_replace,)),),
        "open": ((1, _MODE_BITS, _MODES),),
        "openat": ((2, _MODE_BITS, _MODES),),
        "clone": ((0, _THREAD | _NAMESPACES, (0, _THREAD)),),
        "kill": (itself,),
        "tgkill": (itself,),
        "prlimit64": (itself,),
        "sched_getaffinity": (itself,),
        "fcntl": ((1, _EVERY_BIT, commands),),
        "ioctl": ((1, _EVERY_BIT, requests),),
        "prctl": ((0, _EVERY_BIT, names),),
        # What is connected stays so; a datagram can be sent to any name.
        "socketpair": ((0, _EVERY_BIT, (_UNIX,)), (1, 0xF, (_STREAM,))),
    }


def _prctl(what: int, value: int, more: bytes | None = None) -> None:
    if _libc.prctl(what, ctypes.c_ulong(value), more, None, None):
        raise OSError(ctypes.get_errno(), "the kernel refused the call filter")
