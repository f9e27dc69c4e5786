"""When a submission was handed in: timestamp.txt beside it, where nbgrader's exchange puts it.

A time that cannot be read is that student's alone: the work is graded, nothing of it counts as
late, and staff are told by name.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from nbgrader.utils import parse_utc

__all__ = ["TIMESTAMP", "HandInTime", "hand_in_time"]

TIMESTAMP = "timestamp.txt"
_MAX_BYTES = 1_000


@dataclass(frozen=True)
class HandInTime:
    """When something was handed in, as far as that is known."""

    at: datetime | None  # in UTC, without saying so, as nbgrader keeps it; None: nobody wrote it
    problem: str | None = None  # why what was written is no time, and what to do

    @property
    def in_utc(self) -> datetime | None:
        """The same, saying so."""
        return self.at and self.at.replace(tzinfo=UTC)


def hand_in_time(folder: Path) -> HandInTime:
    """What a folder's timestamp.txt says. Never raises for what stands there."""
    path = folder / TIMESTAMP
    try:
        if not path.is_symlink() and not path.exists():
            return HandInTime(None)
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _MAX_BYTES:
            why = "is no plain file of one line"
        else:
            text = path.read_text().strip()
            return HandInTime(parse_utc(text) if text else None)
    except (ValueError, OverflowError) as error:
        said = "".join(each if each.isprintable() else "\ufffd" for each in str(error))
        why = f"is no date and time, such as 2027-02-08 22:59:00 UTC ({said})"
    except OSError as error:
        why = f"cannot be read ({error.strerror})"
    mend = "mend or remove it, then grade again"
    return HandInTime(None, f"{path} {why}: {mend}; until then the work counts as on time")
