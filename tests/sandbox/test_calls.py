"""The list of allowed calls, by its numbers and by what the filter made of it says."""

import os
import platform
import re
from pathlib import Path

import pytest

from autograder.sandbox import calls

HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
PID = os.getpid()


@pytest.fixture(params=sorted(HEADERS))
def machine(request, monkeypatch):
    monkeypatch.setattr(platform, "machine", lambda: request.param)
    return request.param


def numbers(machine):
    """The kernel's own, by name."""
    if not HEADERS[machine].exists():
        pytest.skip("the kernel's headers are not installed")
    found = re.findall(r"#define __NR(?:3264)?_(\w+) (\d+)\n", HEADERS[machine].read_text())
    named = {name: int(number) for name, number in found}
    if machine == "aarch64":
        named["newfstatat"] = named.pop("fstatat")
    return named


def test_the_numbers_are_the_kernels(machine):
    known = numbers(machine)
    words = iter((calls._ALLOWED + calls._FOR_PROCESSES).split())
    for name, *both in zip(words, words, words, strict=True):
        number = both[list(HEADERS).index(machine)]
        assert number == str(known.get(name, "-")), name


def said(machine, number, *arguments, processes=False, architecture=None):
    """What the kernel does by the filter: it runs the program on one call."""
    shown = {0: number, 4: architecture or calls._MACHINES[machine]}
    shown |= {16 + 8 * n: value & 0xFFFFFFFF for n, value in enumerate(arguments)}
    program, at, value = list(calls._program(processes, os.getpid())), 0, 0
    while True:
        code, yes, no, operand = program[at]
        at += 1
        if code == calls._LOAD:
            value = shown.get(operand, 0)
        elif code == calls._AND:
            value &= operand
        elif code == calls._EQUAL:
            at += yes if value == operand else no
        elif code == calls._AT_LEAST:
            at += yes if value >= operand else no
        else:
            assert code == calls._RETURN
            return {0x7FFF0000: "yes", 0x50001: "EPERM", 0x50026: "ENOSYS", 0x50000: "done"}.get(
                operand, "killed"
            )


@pytest.mark.parametrize(
    ("name", "arguments", "answer"),
    [
        ("read", (), "yes"),
        ("ptrace", (), "EPERM"),
        ("socket", (1, 1), "EPERM"),
        ("execve", (), "EPERM"),
        ("openat", (0, 0, os.O_RDONLY | os.O_CLOEXEC), "yes"),
        ("openat", (0, 0, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "yes"),
        ("openat", (0, 0, os.O_RDWR | os.O_TRUNC), "yes"),
        ("openat", (0, 0, os.O_RDONLY | os.O_TRUNC), "EPERM"),
        ("openat", (0, 0, 3), "EPERM"),
        ("openat", (0, 0, 3 | os.O_TRUNC), "EPERM"),
        ("clone", (0x3D0F00,), "EPERM"),  # as libc starts a thread
        ("unlinkat", (), "done"),
        ("renameat2", (0, 0, 0, 0, 1), "yes"),  # RENAME_NOREPLACE
        ("renameat2", (0, 0, 0, 0, 0), "EPERM"),
        ("fallocate", (), "EPERM"),
        ("io_setup", (), "EPERM"),
        ("clone", (17,), "EPERM"),  # SIGCHLD: a process
        ("clone", (0x10000 | 0x10000000,), "EPERM"),
        ("kill", (PID, 9), "yes"),
        ("kill", (0, 9), "yes"),
        ("kill", (PID + 1, 0), "EPERM"),
        ("kill", (-1, 9), "EPERM"),
        ("fcntl", (3, 1), "yes"),
        ("fcntl", (3, 8), "EPERM"),
        ("ioctl", (3, 0x5401), "yes"),
        ("ioctl", (3, 0x40086602), "EPERM"),
        ("socketpair", (1, 1 | os.O_CLOEXEC), "yes"),
        ("socketpair", (1, 2), "EPERM"),
        ("socketpair", (30, 1), "EPERM"),
        ("clone3", (), "ENOSYS"),
        ("openat2", (), "ENOSYS"),
    ],
)
def test_what_the_filter_says(machine, name, arguments, answer):
    assert said(machine, numbers(machine)[name], *arguments) == answer


def test_processes_only_where_the_course_allows_them(machine):
    known = numbers(machine)
    for name, arguments in (
        ("clone", (17,)),
        ("clone", (0x3D0F00,)),
        ("execve", ()),
        ("setsid", ()),
    ):
        assert said(machine, known[name], *arguments) == "EPERM"
        assert said(machine, known[name], *arguments, processes=True) == "yes"
    assert said(machine, known["clone"], 17 | 0x10000000, processes=True) == "EPERM"


def test_another_machines_calls_end_the_process(machine):
    assert said(machine, 0, architecture=0x40000003) == "killed"  # 32-bit x86
