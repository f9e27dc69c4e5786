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
_MAX_DEPTH = 30  # folders in folders
_MAX_PATH = 1_000  # bytes of a path: where it is copied to is long already
_HANDED_ON = (
    *(".csv", ".json", ".npy", ".npz", ".safetensors", ".tsv", ".txt"),
    *(".gif", ".jpeg", ".jpg", ".png", ".py"),
)


def files_beside(folder: Path, ignore: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """The plain files of a submission that are handed on: their paths in `folder`, and content."""
    left, waiting = _MAX_BYTES, [(folder, 0)]
    for _ in range(_MAX_FILES):
        if not waiting:
            return
        inside, depth = waiting.pop()
        for entry in _entries(inside):
            if entry.name.startswith(".") or any(fnmatchcase(entry.name, each) for each in ignore):
                continue
            name = os.path.relpath(entry.path, folder)
            if not entry.name.isprintable() or len(os.fsencode(name)) > _MAX_PATH:
                continue
            if entry.is_dir(follow_symlinks=False):
                if depth < _MAX_DEPTH:
                    waiting.append((Path(entry), depth + 1))
            elif entry.is_file(follow_symlinks=False):
                size = entry.stat(follow_symlinks=False).st_size
                if size > left or not entry.name.lower().endswith(_HANDED_ON):
                    continue
                left -= size
                with suppress(OSError):  # it is closed to us
                    yield name, Path(entry).read_bytes()


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    with suppress(OSError), os.scandir(folder) as entries:
        return sorted(islice(entries, _MAX_FILES), key=lambda entry: entry.name)
    return []
