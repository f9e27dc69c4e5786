"""Empties a folder of whatever a submission may have left there."""

import contextlib
import itertools
import os
import secrets


def empty(folder: str) -> bool:
    """Remove all that was left, one level after the other: folders may be too deep to walk.

    False when something cannot be removed: a file system may let its owner forbid that.
    """
    unused = secrets.token_hex()
    number = itertools.count()
    with contextlib.suppress(OSError):
        while left := list(os.scandir(folder)):
            for entry in left:
                if not entry.is_dir(follow_symlinks=False):
                    os.unlink(entry.path)
                    continue
                os.chmod(entry.path, 0o700)
                for inner in list(os.scandir(entry.path)):
                    if inner.is_dir(follow_symlinks=False):
                        os.chmod(inner.path, 0o700)  # a closed one cannot be moved
                    os.rename(inner.path, os.path.join(folder, f"{unused}{next(number)}"))
                os.rmdir(entry.path)
        return True
    return False
