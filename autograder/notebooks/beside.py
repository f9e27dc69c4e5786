"""The files beside a notebook that are handed on to whoever looks at it: plain ones, not too many.

No link is followed, and no kind of file is among them that a browser would run.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path

_MAX_BYTES = 1 << 26  # of all files of a submission together
_MAX_FILES = 1_000
_HANDED_ON = (
    *(".csv", ".json", ".npy", ".npz", ".safetensors", ".tsv", ".txt"),
    *(".gif", ".jpeg", ".jpg", ".png", ".py"),
)


def files_beside(folder: Path, ignore: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """The plain files of a submission that are handed on: their paths in `folder`, and content."""
    left, waiting = _MAX_BYTES, [folder]
    for _ in range(_MAX_FILES):
        if not waiting:
            return
        for entry in _entries(waiting.pop()):
            if entry.name.startswith(".") or any(fnmatchcase(entry.name, each) for each in ignore):
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append(Path(entry))
            elif entry.is_file(follow_symlinks=False) and entry.name.isprintable():
                size = entry.stat(follow_symlinks=False).st_size
                if size > left or not entry.name.lower().endswith(_HANDED_ON):
                    continue
                left -= size
                with suppress(OSError):  # it is closed to us
                    yield os.path.relpath(entry.path, folder), Path(entry).read_bytes()


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    with suppress(OSError), os.scandir(folder) as entries:
        return sorted(islice(entries, _MAX_FILES), key=lambda entry: entry.name)
    return []
