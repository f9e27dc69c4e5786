"""When it was handed in, where a download does not say so: a table beside it.

Moodle's grading worksheet (mod/assign/gradingtable.php: "Identifier", "Full name", "Email
address", "Last modified (submission)"), whose times are in the words and the zone of whoever
downloads it; or a table of ours with the columns `id` and `time`. A time without a zone is in that
of the due date.
"""

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from autograder.collect.entries import CollectError
from autograder.course import moment

__all__ = ["Said", "read_times"]

_MOODLE = "Last modified (submission)"


@dataclass(frozen=True)
class Said:
    """What a row says of a student besides: keys to look for in the roster, and the time in UTC."""

    keys: tuple[tuple[str, str], ...]
    at: datetime | None


def read_times(path: Path, zone: tzinfo | None) -> Mapping[str, Said]:
    """What a table says, by Moodle's number of a participant or by the id. Raises CollectError."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CollectError(f'{path} is not UTF-8: save it again as "CSV UTF-8"') from error
    first = text.partition("\n")[0]
    reader = csv.DictReader(
        io.StringIO(text, newline=""), delimiter=max(",;\t", key=first.count), restval=""
    )
    columns = [*(reader.fieldnames or ())]
    if {"Identifier", _MOODLE} <= {*columns}:
        who, when = "Identifier", _MOODLE
    elif {"id", "time"} <= {*columns}:
        who, when = "id", "time"
    else:
        raise CollectError(
            f"{path}:1: must have the columns Identifier and {_MOODLE} (Moodle's grading "
            f"worksheet), or id and time; got {', '.join(columns) or 'nothing'}"
        )
    said = {}
    try:
        for row in reader:
            number = re.search(r"\d+$", row[who]) if who == "Identifier" else None
            keys = (
                *(("email", row.get("Email address", "")), ("login", row.get("Username", ""))),
                *(("sis", row.get("ID number", "")), ("name", row.get("Full name", ""))),
            )
            at = _time(row[when].strip(), zone, f"{path}:{reader.line_num}: {when}")
            said[number[0] if number else row[who].strip()] = Said(keys, at)
    except csv.Error as error:
        raise CollectError(f"{path}:{reader.line_num}: cannot be read as CSV: {error}") from error
    return said


def _time(text: str, zone: tzinfo | None, where: str) -> datetime | None:
    if not text.strip("-"):
        return None  # nothing was handed in
    try:
        return moment(text, zone).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise CollectError(f"{where} {error}") from error
