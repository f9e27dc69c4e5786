"""A call whose time is over: the loop that it was still in, told before the call is ended."""

import ast
import contextlib
import linecache
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from types import FrameType

from autograder.sandbox.failure import Failure

OVERDUE = "Overdue"  # in the place of an answer; and the type of a failure that nobody raised
_Loop = ast.While | ast.For | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@contextlib.contextmanager
def telling(seconds: float, tell: Callable[[Failure], None]) -> Iterator[None]:
    """Once this has taken `seconds`, `tell` the loop, if it is in one, and end the process.

    Nothing is raised for it: a loop may catch whatever is raised in it.
    """

    def ring(_: int, frame: FrameType | None) -> None:
        with contextlib.suppress(Exception):  # what helps to find it may be the student's by now
            if loop := loop_around(frame):
                tell(loop)
                os._exit(0)

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def loop_around(frame: FrameType | None) -> Failure | None:
    """The loop in a student's cells that the code running in `frame` is in, with its line.

    Of several the outermost `while`, then the outermost: it is in that one whenever one looks.
    """
    frames: list[FrameType] = []
    while frame is not None:
        if frame.f_code.co_filename.startswith("<cell "):
            frames.insert(0, frame)
        frame = frame.f_back
    # Of functions that call themselves there may be a thousand frames, in few lines.
    parts = cache(_parts)
    loops = cache(lambda filename, at: _loops(parts(filename), at))
    found = [(x, loop) for x in frames for loop in loops(x.f_code.co_filename, _line(x))]
    if not found:
        return None
    in_frame, loop = next((each for each in found if isinstance(each[1], ast.While)), found[0])
    cell, function = in_frame.f_code.co_filename, in_frame.f_code.co_qualname
    return Failure(
        OVERDUE,
        "",
        cell.removeprefix("<cell ").removesuffix(">")[:100],
        loop.lineno,
        linecache.getline(cell, loop.lineno).strip()[:200],
        None if function == "<module>" else function.rpartition("<locals>.")[-1][:100],
    )


def _line(frame: FrameType) -> int:
    """The line that runs; of an instruction that stands in none, the one before it."""
    if frame.f_lineno:
        return frame.f_lineno
    code = frame.f_code
    lines = [line for start, _, line in code.co_lines() if start <= frame.f_lasti and line]
    return lines[-1] if lines else code.co_firstlineno


def _parts(filename: str) -> list[_Function | _Loop]:
    """The functions and loops of a cell, in their order."""
    nodes = ast.walk(ast.parse("".join(linecache.getlines(filename))))
    found = [each for each in nodes if isinstance(each, _Function | _Loop)]
    return sorted(found, key=lambda each: (each.lineno, each.col_offset))


def _loops(parts: Iterable[_Function | _Loop], at: int) -> list[_Loop]:
    """The loops around a line that runs, the outermost first."""
    functions = [x for x in parts if isinstance(x, _Function) and _first(x) <= at <= _last(x)]
    start = max((each.lineno for each in functions), default=0)  # it is called wherever that stands
    return [x for x in parts if isinstance(x, _Loop) and start <= x.lineno <= at <= _last(x)]


def _first(function: _Function) -> int:
    return function.body[0].lineno


def _last(of: _Function | _Loop) -> int:
    """The last line that is run in it: what follows `else` comes after a loop."""
    last = of.body[-1] if isinstance(of, _Function | ast.While | ast.For) else of
    return last.end_lineno or last.lineno
