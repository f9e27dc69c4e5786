"""Rows as comma-separated text that spreadsheets and systems read alike.

A cell that begins like a formula would be run by a spreadsheet, and names are anybody's: it gets an
apostrophe before it (owasp.org, "CSV Injection"). What a system knows a row by stays as it is.
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence

__all__ = ["Cell", "Key", "as_csv", "harmless", "number"]

# Where lists are separated otherwise, a spreadsheet begins another cell there.
_WITHIN = re.compile(r"([;\t|]\s*)(?=[-=+@\uff1d\uff0b\uff0d\uff20])")
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


class Key(str):
    """A text that stays as it is."""

    __slots__ = ()


Cell = str | float | None


def harmless(text: str) -> str:
    """The text, which no spreadsheet takes for a formula."""
    text = _WITHIN.sub(r"\1'", text)
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA) and len(text) > 1 else text


def number(value: float | None) -> str:
    """A number as all systems read it, with a point and no more than four decimals; "" for None."""
    return "" if value is None else f"{round(value, 4):.12g}"


def as_csv(rows: Iterable[Sequence[Cell]], delimiter: str = ",") -> str:
    """The rows (RFC 4180); no number is an empty cell."""
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter).writerows([_cell(each) for each in row] for row in rows)
    return text.getvalue()


def _cell(value: Cell) -> str:
    if isinstance(value, str):
        return str(value) if isinstance(value, Key) else harmless(value)
    return number(value)
