"""Whether two things are the same, told by a print of their content."""

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

_ENGINE = Path(__file__).parents[1]


def print_of(parts: Iterable[bytes | str]) -> str:
    """Of parts, which are kept apart: a letter more in one is not one less in the next."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8))
        digest.update(data)
    return digest.hexdigest()


def print_of_files(root: Path, paths: Iterable[Path]) -> str:
    """Of files, by what they hold and what they are called below `root`. Raises OSError."""
    named = sorted((str(each.relative_to(root)), each) for each in paths)
    return print_of(part for name, path in named for part in (name, path.read_bytes()))


@cache
def print_of_engine(*kinds: str) -> str:
    """Of this engine's files of some kinds, such as ".py": a version may be in the making."""
    return print_of_files(_ENGINE, (each for each in _ENGINE.rglob("*") if each.suffix in kinds))
