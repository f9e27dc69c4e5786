"""Checks your notebook against recorded cases: check("name of the item").

The cases lie beside this file in cases.json: inputs, and what a right solution gives for them.
Grading uses other inputs and looks at more; each check says at what.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

from .problem import Cause, Problem
from .recorded import problem_of
from .shapes import trace
from .told import forget, told_at

__all__ = ["CheckFailed", "check", "trace"]


class CheckFailed(AssertionError):
    """The notebook does not pass; the message says what was expected, what came, and a hint."""

    def _render_traceback_(self) -> list[str]:  # what Jupyter shows: the message, no frames
        return [str(self)]


def check(item: str) -> None:
    """Run the public cases of an item on the notebook's own functions; raise CheckFailed."""
    recorded = json.loads(Path(__file__).with_name("cases.json").read_text(encoding="utf-8"))
    try:
        asked = recorded["items"][item]
    except KeyError:
        known = ", ".join(recorded["items"])
        raise CheckFailed(f"there is no item {item!r}; the items are: {known}") from None
    started = time.perf_counter()
    names = vars(sys.modules["__main__"])
    for case in asked["cases"]:
        problem = problem_of(case, names, asked["tolerance"])
        if problem:
            raise CheckFailed(_not_yet_right(item, asked, case, problem, names))
    forget(item)
    print(_all_right(item, asked, time.perf_counter() - started))


def _not_yet_right(
    item: str,
    asked: dict[str, Any],
    case: dict[str, Any],
    problem: Problem,
    names: dict[str, Any],
) -> str:
    """What is wrong with an item; a line is enough where another item was told the same."""
    mistake = _mistake(asked, names)
    cause = Cause(mistake, mistake.partition("\n")[0]) if mistake else problem.cause
    first = told_at(item, cause) if cause else item
    if cause and first != item:
        return f"{item}: not yet right, the same as in {first}: {cause.said}"
    said = [f"{item}: not yet right", case["sentence"], problem]
    if mistake:
        said.insert(1, f"It gives what this mistake gives: {mistake}")
    elif problem.kind in case["fits"]:
        said.append(case["hint"])
    return "\n  ".join(line for line in said if line)


def _mistake(asked: dict[str, Any], names: dict[str, Any]) -> str | None:
    """The mistake that gives just what the notebook gives, in every case, if there is one."""
    for mistake, said in asked.get("mistakes", {}).items():
        as_if_right = [case | case["mistakes"].get(mistake, {}) for case in asked["cases"]]
        if not any(problem_of(case, names, asked["tolerance"]) for case in as_if_right):
            return str(said)
    return None


def _all_right(item: str, asked: dict[str, Any], seconds: float) -> str:
    count = len(asked["cases"])
    if not count:
        first = f"{item}: nothing can be tried here. When it is graded:"
    elif asked["shapes_only"]:
        first = f"{item}: the shapes are right. The values are looked at when it is graded:"
    else:
        cases = "the public case passes" if count == 1 else f"the {count} public cases pass"
        first = f"{item}: {cases} ({seconds:.2f} s). When it is graded, with other inputs:"
    return "\n  - ".join([first, *asked["sentences"]])
