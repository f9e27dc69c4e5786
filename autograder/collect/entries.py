"""What lies in a zip or a folder, with bounds: no link is followed, no name or size believed.

A zip that a learning system made holds names and files that students chose. An entry that is not
to be taken is refused by itself, with a sentence, and costs nobody else anything.
"""

import io
import os
import re
import stat
import struct
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from autograder.sandbox import wire

__all__ = ["MAX_BYTES", "CollectError", "Entry", "Refused", "opened", "shown", "within"]

MAX_BYTES = 64 << 20  # of a file, and of all that is handed in together
_MAX_ENTRIES = 1_000_000
_MAX_WITHIN = 10_000
_END = b"PK\x05\x06"  # what the record at a zip's end begins with
_MAX_LISTING_BYTES = 300 * _MAX_WITHIN  # of a zip within another: the list of what lies in it
_MAX_ALL_BYTES = 64 << 30
_MAX_DEPTH = 12
_MAX_NAME_BYTES = 200
_JUNK = re.compile(r"\.(?!\.?$).*|__MACOSX|__pycache__|Thumbs\.db|desktop\.ini", re.DOTALL)
_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError),
    *(NotImplementedError, RuntimeError, ValueError),
)


class CollectError(Exception):
    """Nothing can be collected from there; the sentence says why, and what to do."""


class Refused(Exception):
    """This entry is not taken; the sentence says why."""


@dataclass(frozen=True)
class Entry:
    """A file in a zip or a folder.

    path: its names from the top on. size: in bytes, as is claimed; no more are read. saved: when it
    was, in seconds since 1970. read: its bytes, or Refused. refused: why it is not to be read, and
    its path not to be used.
    """

    path: tuple[str, ...]
    size: int
    saved: float
    read: Callable[[], bytes]
    refused: str | None = None


def shown(path: Sequence[str]) -> str:
    """A path, fit to be printed in a line."""
    legible = (each if each.isprintable() else "\ufffd" for each in "/".join(path)[:200])
    return wire.text("".join(legible), 200)


@contextmanager
def opened(source: Path) -> Iterator[list[Entry]]:
    """The entries of a zip, a folder, or a single notebook. Raises CollectError."""
    with ExitStack() as stack:
        if source.is_dir():
            inbound = source / "inbound"  # of nbgrader's exchange, which has much besides
            found = _of_folder(inbound if inbound.is_dir() else source)
        elif zipfile.is_zipfile(source):
            try:
                found = _of_zip(stack.enter_context(zipfile.ZipFile(source)))
            except _DAMAGED as error:
                raise CollectError(f"{source} is a damaged zip ({error}): load it again") from error
        elif source.suffix == ".ipynb":
            found = iter([_file(source.parent, (source.name,))])
        else:
            raise CollectError(f"{source} is no folder, no zip and no notebook (.ipynb)")
        entries = list(islice(found, _MAX_ENTRIES + 1))
        if len(entries) > _MAX_ENTRIES:
            raise CollectError(f"{source} holds more than {_MAX_ENTRIES:,} files")
        if not entries:
            raise CollectError(f"there is no file in {source}")
        yield entries


def within(entry: Entry) -> list[Entry]:
    """The entries of a zip that somebody handed in; none where it cannot be opened."""
    try:
        data = entry.read()
        if _listing_bytes(data) > _MAX_LISTING_BYTES:
            return []
        return [*islice(_of_zip(zipfile.ZipFile(io.BytesIO(data))), _MAX_WITHIN)]
    except (Refused, CollectError, *_DAMAGED):
        return []


def _listing_bytes(data: bytes) -> int:
    """How long a zip says that its list of entries is, all of which is read before the first."""
    # As zipfile finds it: in the record, too, somebody may have written what it begins with.
    has_no_comment = data[-22:-18] == _END and data.endswith(b"\0\0")
    at = len(data) - 22 if has_no_comment else data.rfind(_END)
    if at < 0 or b"PK\x06\x07" in data[max(at - 20, 0) : at]:  # none, or one of 4 GiB and more
        return _MAX_LISTING_BYTES + 1
    return int(struct.unpack_from("<L", data, at + 12)[0])


def _of_zip(archive: zipfile.ZipFile) -> Iterator[Entry]:
    infos = archive.infolist()
    if sum(info.file_size for info in infos) > _MAX_ALL_BYTES:
        raise CollectError(
            f"{archive.filename} would have more than {_MAX_ALL_BYTES >> 30} GiB when it is "
            "unpacked, which no class hands in"
        )
    seen = set[tuple[str, ...]]()
    for info in infos:
        path = tuple(_name(info).replace("\\", "/").split("/"))
        why = _unfit(path)
        if (not why and any(map(_JUNK.fullmatch, path))) or path[-1] == "":
            continue
        mode = info.external_attr >> 16
        if stat.S_IFMT(mode) and not stat.S_ISREG(mode):
            why = why or "is a link or no plain file"
        if info.flag_bits & 1:
            why = why or "is encrypted"
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            why = why or "is compressed in an unusual way"
        if info.file_size > MAX_BYTES:
            why = why or _too_large(info.file_size)
        if path in seen:
            why = why or "stands twice"
        seen.add(path)
        yield _entry(path, info.file_size, _saved(info), _unpacked(archive, info), why)


def _name(info: zipfile.ZipInfo) -> str:
    """Its name in UTF-8, also where a zip does not say that it is."""
    name = info.orig_filename
    if not info.flag_bits & 0x800:
        with suppress(UnicodeError):
            return name.encode("cp437").decode()
    return name


def _saved(info: zipfile.ZipInfo) -> float:
    try:
        return time.mktime((*info.date_time, 0, 0, -1))
    except (ValueError, OverflowError):
        return 0.0


def _unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[], bytes]:
    def read() -> bytes:
        try:
            with archive.open(info) as file:
                return file.read(MAX_BYTES + 1)  # at most what it claims to have
        except _DAMAGED as error:
            raise Refused(f"is damaged ({error})") from error

    return read


def _of_folder(root: Path) -> Iterator[Entry]:
    waiting: list[tuple[str, ...]] = [()]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(root.joinpath(*folder)) as found:
                entries = sorted(islice(found, _MAX_ENTRIES), key=lambda entry: entry.name)
        except OSError as error:
            if not folder:
                raise
            yield _entry(folder, 0, 0.0, _never, f"cannot be looked at: {error.strerror}")
            continue
        for entry in entries:
            path = (*folder, entry.name)
            if _JUNK.fullmatch(entry.name):
                continue
            if entry.is_dir(follow_symlinks=False) and not _unfit(path):
                waiting.append(path)
            else:
                yield _file(root, path)


def _file(root: Path, path: tuple[str, ...]) -> Entry:
    try:
        info = os.lstat(root.joinpath(*path))
    except OSError as error:  # it was there a moment ago
        return _entry(path, 0, 0.0, _never, f"cannot be looked at: {error.strerror}")
    why = _unfit(path)
    if not stat.S_ISREG(info.st_mode):
        why = why or "is a link or no plain file"
    if info.st_size > MAX_BYTES:
        why = why or _too_large(info.st_size)

    def read() -> bytes:
        try:
            with _open(root, path) as file:
                return file.read(MAX_BYTES + 1)
        except OSError as error:
            raise Refused(f"cannot be read: {error.strerror}") from error

    return _entry(path, info.st_size, info.st_mtime, read, why)


@contextmanager
def _open(root: Path, path: Sequence[str]) -> Iterator[BinaryIO]:
    """A plain file, with no link on the way to it, nor one that was put there a moment ago."""
    here = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for name in path:
            above = here
            here = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=above)
            os.close(above)
        with open(here, "rb", closefd=False) as file:
            yield file
    finally:
        os.close(here)


def _entry(
    path: tuple[str, ...], size: int, saved: float, read: Callable[[], bytes], why: str | None
) -> Entry:
    return Entry(path, size, saved, read if why is None else _never, why)


def _never() -> bytes:
    raise Refused("is not to be read")


def _unfit(path: tuple[str, ...]) -> str | None:
    """Why a path is not to be used below a folder of ours."""
    if "" in path[:-1] or {".", ".."} & {*path} or re.fullmatch("[A-Za-z]:.*", path[0]):
        return "has a path that leads elsewhere"
    if not all(map(str.isprintable, path)):
        return "has a name with characters that cannot be shown"
    if len(path) > _MAX_DEPTH or any(len(name.encode()) > _MAX_NAME_BYTES for name in path):
        return "has a name that is too long, or lies too deep"
    return None


def _too_large(size: int) -> str:
    return f"has {size / 2**20:,.0f} MiB; at most {MAX_BYTES >> 20} can be handed in"
