"""An exception of the student's in words."""

import builtins
import linecache
import re
import traceback
from dataclasses import dataclass

_MAX_TEXT = 600
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True)
class Failure:
    """An exception of the student's: what it was, and the student's own line that raised it."""

    type: str
    message: str
    cell: str | None = None
    line: int | None = None
    source: str | None = None
    function: str | None = None  # in which that line stands, with the names around it

    @property
    def words(self) -> str:
        """The message without its numbers."""
        return _NUMBER.sub("#", self.message)

    @property
    def is_on_purpose(self) -> bool:
        """Whether their own line raises it, in words of its author's."""
        return (self.source or "").startswith(("raise ", "assert "))

    def refuses_like(self, other: "Failure") -> bool:
        """Whether two calls are refused in one way, in whatever words: on purpose, or by one line.

        Not where by chance a mistake raises the same type, as of values that are too many.
        """
        one_line = self.line is not None and (self.cell, self.line) == (other.cell, other.line)
        in_one_way = self.is_on_purpose or one_line or self.words == other.words
        return self.type == other.type and in_one_way


def describe_failure(error: BaseException) -> Failure:
    """The exception in words, with the student's own line that raised it."""
    name = _kind(type(error))
    if "not enough memory" in _text(error) or "can't allocate memory" in _text(error):  # torch's
        name = "MemoryError"
    if isinstance(error, SyntaxError):
        cell, line, source, function = error.filename, error.lineno, error.text, None
    else:
        cell, line, source, function = None, None, None, None
        # Not extract_tb: it looks up a line of every frame, of which recursion leaves thousands.
        for frame, number in traceback.walk_tb(error.__traceback__):
            if frame.f_code.co_filename.startswith("<cell "):
                cell, line = frame.f_code.co_filename, number
                function = frame.f_code.co_qualname.rpartition("<locals>.")[-1]
        if cell is not None and line is not None:
            source = linecache.getline(cell, line)
    return Failure(
        name[:100],
        _text(error),
        cell.removeprefix("<cell ").removesuffix(">")[:100] if cell else None,
        line,
        source.strip()[:200] if source else None,
        function[:100] if function and function != "<module>" else None,
    )


def _kind(of: type[BaseException]) -> str:
    """What it is, by the name of Python's own exception; its own name where it is none of these."""
    own = (each for each in of.__mro__ if vars(builtins).get(each.__name__) is each)
    kind = next(own, BaseException)
    if kind not in (Exception, BaseException):
        return kind.__name__
    name = of.__name__
    if getattr(builtins, name, of) is not of:  # a class of theirs, no ValueError
        name = f"notebook.{name}"
    return name


def _text(error: BaseException) -> str:
    try:
        return str(error.msg if isinstance(error, SyntaxError) else error)[:_MAX_TEXT]
    except BaseException:  # the exception is the student's own class, and so is its __str__
        return "(its message could not be read)"
