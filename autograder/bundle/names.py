"""Names that a file may bear on Windows, macOS and Linux alike."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

__all__ = ["troubles"]

_RESERVED = {"con", "prn", "aux", "nul"} | {
    f"{at}{n}" for at in ("com", "lpt") for n in "123456789"
}
_ODD = re.compile(r'[^\x20-\x7e]|[<>:"\\|?*]')  # the rest is written in more than one way, too
_MOST = 150  # of the 260 of Windows, before which stands where it was unpacked


def troubles(paths: Iterable[str]) -> list[str]:
    """What would go wrong when files with these paths are unpacked anywhere, a sentence each."""
    paths = sorted(paths)
    same = defaultdict(set)
    for path in paths:
        parts = path.split("/")
        for depth in range(1, len(parts) + 1):
            same["/".join(parts[:depth]).casefold()].add("/".join(parts[:depth]))
    said = [f"{path}: {why}; give it another name" for path in paths for why in _of(path)]
    said += [
        f"{' and '.join(sorted(each))} are one file on Windows and macOS; rename one of them"
        for each in same.values()
        if len(each) > 1
    ]
    return said


def _of(path: str) -> Iterator[str]:
    for part in path.split("/"):
        if odd := _ODD.search(part):
            yield f"{odd[0]!r} is not a character that every system takes"
        if part.partition(".")[0].casefold().rstrip() in _RESERVED:
            yield f"{part} is a device on Windows"
        if part != part.rstrip(". ") or part in ("", "."):
            yield f"Windows takes no name like {part!r}, with a dot or space at its end"
    if len(path) > _MOST:
        yield f"it has {len(path)} characters, and some systems take {_MOST} at most"
