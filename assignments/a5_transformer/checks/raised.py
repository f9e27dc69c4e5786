"""An exception of the notebook's own code: what was raised, and in which of its lines."""

import linecache
import traceback
from collections.abc import Mapping
from types import CodeType
from typing import Any

from .problem import Cause, Problem, kind_of_error


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
    cause = Cause((name, code, number), f"{name} in your line {number}")
    return Problem(said + _told(code, number), kind, cause)


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
    where = f"in your line {number}, in {_function(code)}"
    source = linecache.getline(code.co_filename, number).strip()
    return f"\n    {where}: {source}" if source else f"\n    {where}"


def _own_line(error: Exception, names: Mapping[str, Any]) -> tuple[CodeType, int] | None:
    """The innermost line that stands in the notebook itself: what it calls may have raised."""
    found = None
    for frame, number in traceback.walk_tb(error.__traceback__):
        if frame.f_globals is names:
            found = frame.f_code, number
    return found
