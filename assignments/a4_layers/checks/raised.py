"""An exception of the notebook's own code: what was raised, and in which of its lines."""

import builtins
import linecache
import re
import sys
import traceback
from collections.abc import Mapping
from types import CodeType
from typing import Any

from .problem import Cause, Problem, kind_of_error

_RAISES = "raise ", "assert "  # what lines begin with that write the words of an exception


def raised(called: str, error: Exception, names: Mapping[str, Any]) -> Problem:
    """The exception of a call in words, with the line; names: all that the notebook defines."""
    name = type(error).__name__
    said = f"{called} raised {name}: {error}"
    kind = kind_of_error(name, str(error))
    found = _own_line(error, names)
    if found is None:
        what = f"{name}: {error}".partition("\n")[0]
        return Problem(said, kind, Cause(str(error), what))
    code, number = found
    cause = Cause((name, code, number), f"{name} in {_line(code, number)}")
    return Problem(said + _told(code, number), kind, cause)


def as_known(error: Exception, names: Mapping[str, Any]) -> tuple[str, str]:
    """An exception as known mistakes have it: its type, and its words where no line wrote them."""
    found = _own_line(error, names)
    own = found and _source(*found).startswith(_RAISES)
    return known(_kind(type(error)), str(error), bool(own))


def _kind(of: type[Exception]) -> str:
    """Which of Python's own exceptions it is; its own name where it is none in particular."""
    own = (each for each in of.__mro__ if vars(builtins).get(each.__name__) is each)
    kind = next(own)
    return of.__name__ if kind is Exception else kind.__name__


def known(name: str, message: str, is_own: bool) -> tuple[str, str]:
    """The type of an exception, and its words but for numbers, which sizes may change."""
    return name, "" if is_own else re.sub(r"\d+", "#", message)


def interrupted(what: str, error: KeyboardInterrupt, names: Mapping[str, Any]) -> str:
    """That something was interrupted, and in which line of the notebook it was then."""
    found = _own_line(error, names)
    where = f"; your code was then{_told(*found)}\nDoes a loop there never end?" if found else "."
    return f"{what} was interrupted{where}"


def undefined(name: str) -> Problem:
    """That the notebook does not define a name."""
    said = f"{name} is not defined"
    return Problem(f"{said}: run the cell that defines it first.", "error", Cause(said, said))


def unwritten(error: Exception) -> Problem | None:
    """That a stub was called, if that is what was raised."""
    if stub := stub_of(error):
        told = f"{stub}: write your code in the place of its raise."
        return Problem(told, "error", Cause(stub, stub))
    return None


def stub_of(error: Exception) -> str | None:
    """Which function or method is still the stub, in words, if that is what was raised."""
    if not isinstance(error, NotImplementedError) or str(error):  # torch raises it with words
        return None
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return f"{_function(frame.f_code)} is still the stub"


def _function(code: CodeType) -> str:
    # Python 3.10 knows its name alone.
    return str(getattr(code, "co_qualname", code.co_name)).rpartition("<locals>.")[-1]


def _told(code: CodeType, number: int) -> str:
    where = f"in {_line(code, number)}, in {_function(code)}"
    source = _source(code, number)
    return f"\n    {where}: {source}" if source else f"\n    {where}"


def _source(code: CodeType, number: int) -> str:
    return linecache.getline(code.co_filename, number).strip()


def _line(code: CodeType, number: int) -> str:
    """Where it is: Jupyter numbers the cells that it has run, in brackets beside them."""
    try:
        shell = sys.modules["IPython"].get_ipython()
        kind, cell = shell.compile.format_code_name(code.co_filename)
        return f"your {kind.lower()} {cell.removeprefix('In')}, line {number}"
    except (KeyError, AttributeError, TypeError, ValueError):  # no Jupyter, or no cell of its
        return f"your line {number}"


def _own_line(error: BaseException, names: Mapping[str, Any]) -> tuple[CodeType, int] | None:
    """The innermost line that stands in the notebook itself: what it calls may have raised."""
    found = None
    for frame, number in traceback.walk_tb(error.__traceback__):
        if frame.f_globals is names:
            found = frame.f_code, number
    return found
