"""What `nbgrader release_feedback` wants beside a student's page: the time of hand-in and a secret.

The exchange writes both where it collects; work that came another way has neither, and nbgrader
ends the run for everybody over the first file that is not there. The secret is what a page's name
in the exchange is made of. One that we make is in nobody's hands: the page is released, and only
who collects it from feedback/ reads it.
"""

import secrets
from pathlib import Path

from autograder.course import write_atomically
from autograder.export.times import TIMESTAMP, hand_in_time

__all__ = ["write_for_release"]

_SECRET = "submission_secret.txt"
_MAX_BYTES = 1_000


def write_for_release(page: Path, *folders: Path) -> None:
    """Leave both files beside a page, from the first of these folders of its submission."""
    there = [folder for folder in folders if folder.is_dir()]
    known = any(hand_in_time(folder).at for folder in there)
    time = _first(TIMESTAMP, there) if known else ""
    write_atomically(page.with_name(TIMESTAMP), time)
    secret = _first(_SECRET, there) or _first(_SECRET, [page.parent]) or secrets.token_hex(32)
    write_atomically(page.with_name(_SECRET), secret)


def _first(name: str, folders: list[Path]) -> str:
    """What the first plain file of this name says; nothing where there is none."""
    for folder in folders:
        path = folder / name
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= _MAX_BYTES:
            return path.read_text(errors="replace")
    return ""
