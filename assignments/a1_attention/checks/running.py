"""While the notebook's code is tried: its prints are cut, an interrupt is told in a sentence."""

import io
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from typing import Any, TextIO

from .problem import CheckFailed
from .raised import interrupted
from .shown import wrapped

_LINES, _CHARACTERS = 20, 2000  # that are printed: a print in a loop would hide the verdict


@contextmanager
def running(what: str, names: Mapping[str, Any]) -> Iterator[None]:
    """Try what the notebook defines. Raises CheckFailed when that is interrupted.

    An exception, so that the cells that wait behind this one do not run.
    """
    short = _Short(sys.stdout)
    try:
        with redirect_stdout(short):
            yield
    except KeyboardInterrupt as error:
        raise CheckFailed(wrapped(interrupted(what, error, names))) from None
    finally:
        short.end()


class _Short(io.TextIOBase):
    """Prints the beginning, and counts the lines of the rest."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._lines, self._characters = _LINES, _CHARACTERS  # left
        self._last = "\n"
        self._is_cut, self._more = False, 0

    def write(self, text: str) -> int:
        shown = "".join(text.splitlines(keepends=True)[: self._lines])[: self._characters]
        self._out.write(shown)
        self._last = shown[-1:] or self._last
        self._lines -= shown.count("\n")
        self._characters -= len(shown)
        self._is_cut |= shown != text
        self._more += text.count("\n") - shown.count("\n")
        return len(text)

    def flush(self) -> None:
        self._out.flush()

    def end(self) -> None:
        """Say how much was not printed."""
        if self._is_cut:
            start = "" if self._last == "\n" else " …\n"
            lines = f"{self._more} more line{'s' if self._more > 1 else ''}"
            self._out.write(f"{start}… and {lines if self._more else 'more'}\n")
