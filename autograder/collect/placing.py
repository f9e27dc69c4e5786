"""What was handed in, put where the grader looks for it; what lay there is kept, nothing is lost.

submitted/STUDENT/ASSIGNMENT/ has the last hand-in, earlier/STUDENT/ASSIGNMENT/TIME/ those before
it. Of two without a time of handing in the one whose files were saved later is the last.
"""

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from nbgrader.utils import parse_utc

__all__ = ["THERE", "Copy", "Place"]

THERE = "there already"  # nothing came of it
_TIME = "timestamp.txt"
_MAX_TIME_BYTES = 1_000
_NEW = ".collecting"  # what is being written; no student's folder is looked into for such a name
_SECONDS = 2  # a zip knows no less


@dataclass(frozen=True)
class Copy:
    """A hand-in under our names. at: when, in UTC, if that is known. saved: when its files were."""

    files: Mapping[str, bytes]
    at: datetime | None
    saved: float

    def write(self, folder: Path) -> None:
        """Write the files, with their time, and nbgrader's timestamp.txt."""
        for name, data in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            os.utime(path, (self.saved, self.saved))
        folder.mkdir(parents=True, exist_ok=True)
        self.write_time(folder)

    def write_time(self, folder: Path) -> None:
        """Write the time of handing in, as nbgrader's exchange does; none where it is unknown."""
        if self.at:
            (folder / _TIME).write_text(f"{self.at:%Y-%m-%d %H:%M:%S.%f} UTC")

    @property
    def stamp(self) -> str:
        """A name for its folder among earlier ones."""
        return f"{self.at or datetime.fromtimestamp(self.saved, UTC):%Y-%m-%d_%H-%M-%S}"


@dataclass(frozen=True)
class Place:
    """Where the hand-ins of one student for one assignment lie."""

    submitted: Path
    earlier: Path

    def put(self, copy: Copy, *, force: bool, write: bool) -> str:
        """Put the last hand-in there, and say what came of it."""
        if not os.path.lexists(self.submitted):
            if write:
                self._write(copy)
            return "new"
        if self.submitted.is_symlink() or not self.submitted.is_dir():
            return "left: there is no folder in its place"
        there_at, there_saved = self.at, _saved(self.submitted)
        same = _names(self.submitted) == {*copy.files} and all(
            _holds(self.submitted / name, data) for name, data in copy.files.items()
        )
        if copy.at and there_at:
            newer = (copy.at - there_at).total_seconds()
        else:
            newer = copy.saved - there_saved
            newer = 0.0 if abs(newer) <= _SECONDS else newer
        if same and (not copy.at or copy.at == there_at):
            return THERE
        if same and not there_at:
            if write:
                copy.write_time(self.submitted)
            return "there already, its time is new"
        if newer < 0 and not force:
            self.keep(copy, write=write)
            return "kept: what is there is newer"
        if newer > 0 or force:
            if write:
                self._keep_what_is_there(there_at, there_saved)
                self._write(copy)
            return "replaces an earlier one, which is kept"
        return "left: it is not what is there, and no newer; --force takes it"

    @property
    def at(self) -> datetime | None:
        """When what lies there was handed in, in UTC, if it says so."""
        return _at(self.submitted)

    def keeps(self, at: datetime | None, saved: float) -> bool:
        """Whether an earlier hand-in of that time is kept already."""
        return (self.earlier / Copy({}, at, saved).stamp).exists()

    def keep(self, copy: Copy, *, write: bool) -> None:
        """Keep an earlier hand-in, unless it is there."""
        folder = self.earlier / copy.stamp
        if write and not folder.exists():
            new = self.earlier / _NEW
            shutil.rmtree(new, ignore_errors=True)
            copy.write(new)
            new.rename(folder)

    def _write(self, copy: Copy) -> None:
        new = self.submitted.parent / _NEW
        shutil.rmtree(new, ignore_errors=True)
        try:
            copy.write(new)
            new.rename(self.submitted)
        except OSError:
            shutil.rmtree(new, ignore_errors=True)
            raise

    def _keep_what_is_there(self, at: datetime | None, saved: float) -> None:
        stamp = Copy({}, at, saved).stamp
        free = (self.earlier / f"{stamp}{end}" for end in ("", *(f"_{n}" for n in range(2, 1000))))
        folder = next(each for each in free if not each.exists())
        folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(self.submitted, folder)


def _at(folder: Path) -> datetime | None:
    path = folder / _TIME
    with suppress(OSError, ValueError, OverflowError):
        if path.is_file() and not path.is_symlink() and path.stat().st_size < _MAX_TIME_BYTES:
            found = parse_utc(path.read_text().strip())
            return found.replace(tzinfo=UTC) if isinstance(found, datetime) else None
    return None


def _saved(folder: Path) -> float:
    found = (path for path in folder.rglob("*") if path.name != _TIME and not path.is_symlink())
    return max((path.stat().st_mtime for path in found if path.is_file()), default=0.0)


def _names(folder: Path) -> set[str]:
    """The files in a folder, but for the time, and for what an editor hides there."""
    found = (path.relative_to(folder) for path in folder.rglob("*") if not path.is_dir())
    visible = (path for path in found if not any(part.startswith(".") for part in path.parts))
    return {str(path) for path in visible if str(path) != _TIME}


def _holds(path: Path, data: bytes) -> bool:
    with suppress(OSError):
        return not path.is_symlink() and path.is_file() and path.read_bytes() == data
    return False
