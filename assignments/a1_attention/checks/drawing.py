"""Figures of the notebook: where one cannot be drawn yet, what is to be mended first."""

import functools
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from types import CodeType
from typing import Any

from .judged import judge
from .raised import raised, stub_of
from .running import running
from .shown import line_of, show, wrapped

Draw = Callable[..., Any]
NOTHING = "Nothing to show yet."


def drawing_of(draw: Draw, recorded: Mapping[str, Any], names: Mapping[str, Any]) -> Draw:
    """The function, which says what is to be mended first where it cannot draw."""

    @functools.wraps(draw)
    def drawn(*args: Any, **kwargs: Any) -> Any:
        try:
            return draw(*args, **kwargs)
        except Exception as error:
            if "matplotlib.pyplot" in sys.modules:
                sys.modules["matplotlib.pyplot"].close("all")  # what was begun of it
            said = _stub(error) or _first_to_mend(draw, recorded, names) or _told(error, names)
            said = f"{NOTHING} {said}"
            show(wrapped(said), line_of(said))
            return None

    return drawn


def _stub(error: Exception) -> str | None:
    stub = stub_of(error)
    return stub and f"{stub}: write your code there first."


def _first_to_mend(draw: Draw, recorded: Mapping[str, Any], names: Mapping[str, Any]) -> str | None:
    used = set(_names_in(inspect.unwrap(draw).__code__))
    for name, item in recorded["items"].items():
        if used & {asked for case in item["cases"] for asked in _asked(case)}:
            with running(name, names):
                verdict = judge(name, recorded, names)
            if verdict.state == "begun":
                return verdict.brief
            if verdict.state == "wrong":
                said = verdict.cause.said if verdict.cause and verdict.proven else verdict.brief
                return f'Mend {name} first ("{verdict.title}"): {said}'
    return None


def _names_in(code: CodeType) -> Iterator[str]:
    """The names that a function uses, and those that are defined in it."""
    yield from code.co_names
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _names_in(each)


def _asked(case: Mapping[str, Any]) -> Iterator[str]:
    yield case["name"]
    for part in (*case.get("args", ()), *case.get("kwargs", {}).values()):
        if isinstance(part, dict) and "module" in part:
            yield part["module"]["name"]


def _told(error: Exception, names: Mapping[str, Any]) -> str:
    return str(raised("What it shows", error, names))
