"""A wall around files, raised by a process around itself: Landlock, Linux 5.13 and later.

It needs no package, no privilege and no namespace: three calls of the kernel. What the kernel's
version knows is refused, but for what the rules allow; what it does not know yet (truncating
before version 3, the network before 4, signals before 6) the call filter refuses in any case.
"""

import ctypes
import os
import stat
import struct
from collections.abc import Iterable

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same numbers on every machine
_BENEATH = 1

# Rights on files, each by its bit: what came with the version that is named.
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REMOVE_DIR, _REMOVE_FILE, _MAKE_DIR, _MAKE_REG = 1 << 4, 1 << 5, 1 << 7, 1 << 8
_MAKE_SYM, _REFER, _TRUNCATE = 1 << 12, 1 << 13, 1 << 14
_KNOWN_SINCE = {1: (1 << 13) - 1, 2: _REFER, 3: _TRUNCATE, 5: 1 << 15}

_READ = _EXECUTE | _READ_FILE | _READ_DIR  # the call filter says whether anything may be executed
_WRITE = _WRITE_FILE | _TRUNCATE
_CHANGE = _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REG | _MAKE_SYM | _REFER
_OF_A_FILE = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE

_libc = ctypes.CDLL(None, use_errno=True)


def version() -> int:
    """Landlock's version in this kernel. Raises OSError when it has none to offer."""
    return _call(_CREATE, None, 0, 1)


def rules(known: int, readable: Iterable[str], writable: Iterable[str]) -> int:
    """What may be read and written, as a descriptor for `restrict`. Raises OSError.

    known: the version to keep to, at most the kernel's; all that it can refuse is refused.
    A path that is not there, or out of reach, allows nothing.
    """
    handled = sum(rights for since, rights in _KNOWN_SINCE.items() if since <= known)
    network, signals = (3 if known >= 4 else 0), (3 if known >= 6 else 0)
    size = 8 if known < 4 else 16 if known < 6 else 24
    made = _call(_CREATE, struct.pack("QQQ", handled, network, signals)[:size], size, 0)
    for paths, rights in ((readable, _READ), (writable, _READ | _WRITE | _CHANGE)):
        for path in paths:
            try:
                place = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except (FileNotFoundError, PermissionError):
                continue
            allowed = rights & handled
            if not stat.S_ISDIR(os.fstat(place).st_mode):
                allowed &= _OF_A_FILE
            _call(_ADD, made, _BENEATH, struct.pack("=Qi", allowed, place), 0)
            os.close(place)
    return made


def restrict(made: int) -> None:
    """Keep this process, and all that it starts, to the rules. Raises OSError.

    It must have given up new privileges before.
    """
    _call(_RESTRICT, made, 0)
    os.close(made)


def _call(number: int, *args: int | bytes | None) -> int:
    # Each argument as wide as a register: what is not said to be wide, ctypes leaves half unset.
    wide = [ctypes.c_long(each) if isinstance(each, int) else each for each in args]
    result: int = _libc.syscall(ctypes.c_long(number), *wide)
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"Landlock: {os.strerror(error)}")
    return result
