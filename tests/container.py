"""Runs a command as in a container with Docker's default profile, as far as walls can tell.

    python tests/container.py COMMAND ...

As root with the privileges that such a container leaves to root; under a call filter that forbids
what Docker's does of namespaces, mounts and other processes. What else a container has, its own
file system and process numbers, is no matter to walls. x86-64 alone: the numbers are its own.
"""

import ctypes
import os
import struct
import sys

# CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, SETPCAP, NET_BIND_SERVICE, NET_RAW,
# SYS_CHROOT, MKNOD, AUDIT_WRITE, SETFCAP
KEPT = (0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31)
FORBIDDEN = {
    **{"mount": 165, "umount2": 166, "pivot_root": 155, "unshare": 272, "setns": 308},
    **{"open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432},
    **{"mount_setattr": 442, "pidfd_getfd": 438, "open_by_handle_at": 304, "kcmp": 312},
    **{"bpf": 321, "perf_event_open": 298, "userfaultfd": 323, "syslog": 103, "quotactl": 179},
    **{"keyctl": 250, "add_key": 248, "request_key": 249, "io_uring_setup": 425, "acct": 163},
    **{"process_vm_readv": 310, "process_vm_writev": 311, "ptrace": 101, "move_pages": 279},
}
CLONE, CLONE3, NAMESPACES = 56, 435, 0x7E020000
LOAD, EQUAL, ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
ALLOW, EPERM, ENOSYS = 0x7FFF0000, 0x00050001, 0x00050026

libc = ctypes.CDLL(None, use_errno=True)


def main():
    """Raise the container's walls, and become the command."""
    if os.geteuid():
        prctl(38, 1)  # no new privileges, or an ordinary user may have no filter
    forbid()
    for capability in range(64):
        if os.geteuid() == 0 and capability not in KEPT:
            libc.prctl(24, ctypes.c_ulong(capability), None, None, None)  # not all are known
    os.execvp(sys.argv[1], sys.argv[1:])


def forbid():
    """Install the call filter."""
    program = [(LOAD, 0, 0, 0)]
    for number in FORBIDDEN.values():
        program += [(EQUAL, 0, 1, number), (RETURN, 0, 0, EPERM)]
    program += [(EQUAL, 0, 1, CLONE3), (RETURN, 0, 0, ENOSYS)]
    program += [(EQUAL, 0, 3, CLONE), (LOAD, 0, 0, 16), (ANY_BIT, 0, 1, NAMESPACES)]
    program += [(RETURN, 0, 0, EPERM), (RETURN, 0, 0, ALLOW)]
    code = b"".join(struct.pack("HBBI", *step) for step in program)
    buffer = ctypes.create_string_buffer(code, len(code))
    prctl(22, 2, struct.pack("HxxxxxxP", len(program), ctypes.addressof(buffer)))


def prctl(what, value, more=None):
    """Ask the kernel, or end."""
    if libc.prctl(what, ctypes.c_ulong(value), more, None, None):
        sys.exit(f"prctl {what}: {os.strerror(ctypes.get_errno())}")


if __name__ == "__main__":
    main()
