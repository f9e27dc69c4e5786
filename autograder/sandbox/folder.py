"""A server's folder, and what tells whether anybody still needs it.

Whoever makes one holds a lock on it as long as it lives; the kernel lets go of it when it dies,
however it dies. So a folder without anybody can be told, also one that was half removed, and is
removed by the next who comes.
"""

import contextlib
import fcntl
import os
import shutil
import tempfile
from pathlib import Path

from autograder.sandbox.emptied import empty

SCRATCH = "scratch"  # in it, what submissions may write to
_PREFIX = (
    "autograder-server-"  # nothing else is called so: whatever is, and has no lock, is removed
)


class Folder:
    """A new folder, until it is removed; folders that nobody needs any more are removed before.

    As a context manager it gives its path.
    """

    def __init__(self) -> None:
        sweep()
        while True:  # until it has the lock before somebody else takes the new one for left behind
            self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
            with contextlib.suppress(FileNotFoundError):
                self._lock = _opened(self.path)
                fcntl.flock(self._lock, fcntl.LOCK_EX)
                if self.path.exists():
                    break
                os.close(self._lock)

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.remove()

    def remove(self) -> None:
        """Remove it, with all that is in it; doing it twice does nothing more."""
        _remove(self.path)
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def sweep() -> None:
    """Remove the folders of those who died; not what is another user's."""
    for each in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            if each.lstat().st_uid != os.geteuid():
                continue
            lock = _opened(each)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _remove(each)
            finally:
                os.close(lock)


def _remove(folder: Path) -> None:
    """Remove a folder, however deep or closed what a submission has left in it."""
    with contextlib.suppress(OSError):
        os.chmod(folder / SCRATCH, 0o700)
        empty(str(folder / SCRATCH))
    with contextlib.suppress(OSError, RecursionError):
        shutil.rmtree(folder, ignore_errors=True)


def _opened(folder: Path) -> int:
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
