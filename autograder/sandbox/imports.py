"""Imports that ask the file system little: sandlock examines each call, two seconds of them in all.

Torch and what it needs are a thousand files. Python asks for the real path of many again and again,
looks at each folder once more for each module in it, and at each file three times.
"""

import contextlib
import functools
import os
import posix
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from typing import Any

_CHUNK = 1 << 17  # bytes: more than most files have


def leave_paths_as_they_are() -> None:
    """Ask for no real path, here and in the forks.

    In a fork no link can be read: matplotlib, which asks for the real path of its fonts, could draw
    nothing.
    """
    os.path.realpath = lambda path, **_: os.path.abspath(path)  # type: ignore[assignment]


@contextlib.contextmanager
def looking_once() -> Iterator[None]:
    """While the block runs, look once at each path, and at an open file not at all.

    Only for a block that writes no file.
    """
    loader: Any = SourceFileLoader
    look, read = posix.stat, loader.get_data
    known, over = functools.cache(look), False

    def stat(path: Any, **options: Any) -> os.stat_result:
        # Who has taken hold of it meanwhile goes on with it.
        return (look if over or isinstance(path, int) else known)(path, **options)

    os.stat = posix.stat = stat
    loader.get_data = _read
    try:
        yield
    finally:
        over = True
        os.stat = posix.stat = look
        loader.get_data = read


def _read(_: SourceFileLoader, path: str) -> bytes:
    """The bytes of a file, which `open` would ask for its kind, its size and its place first."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return b"".join(iter(lambda: os.read(file, _CHUNK), b""))
    finally:
        os.close(file)
