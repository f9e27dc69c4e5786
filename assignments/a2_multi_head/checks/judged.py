"""What is to be said of an item: its public cases put to the notebook, and what comes of it."""

import importlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from .example import example_of
from .mistakes import mistakes
from .problem import Cause, Problem
from .recorded import ask, problem_of

Item = Mapping[str, Any]


@dataclass(frozen=True)
class Verdict:
    """What is to be said of one item: `brief` on a line, `lines` to who wants to know more.

    state: "right", "wrong", "begun" for what is not written yet, "later" for what only grading
    looks at. cause: what may make other items fail alike.
    """

    name: str
    title: str
    state: str
    brief: str
    lines: tuple[str, ...]
    cause: Cause | None = None


def judge(name: str, item: Item, known: Mapping[str, str], names: Mapping[str, Any]) -> Verdict:
    """Put an item's public cases to the notebook.

    known: the sentences of known mistakes, by id. names: all that the notebook defines.
    """
    started = time.perf_counter()
    tolerance = item["tolerance"]
    came, problems = [], list[Problem | None]()
    for case in item["cases"]:
        came.append(ask(case, names))
        problems.append(problem_of(case, came[-1], tolerance))
        if problems[-1] and not item.get("mistakes"):
            break
    first = next((at for at, problem in enumerate(problems) if problem), None)
    if first is None:
        return _judged_by_file(name, item, names) or _right(name, item, started)
    case, problem = item["cases"][first], problems[first]
    assert problem is not None
    if came[first].is_unwritten:
        return Verdict(
            name, item["title"], "begun", problem, (case["sentence"], problem), problem.cause
        )
    found = mistakes(item, came, problems)
    if found:
        what = "this mistake gives" if len(found) == 1 else "one of these mistakes gives"
        told = "\nor: ".join(known[each] for each in found)
        short = " Or: ".join(known[each].partition("\n")[0] for each in found)
        brief = f"It gives what {what}: {short}"
        lines = [f"It gives what {what}: {told}", case["sentence"], problem]
        cause: Cause | None = Cause(tuple(found), short)
    else:
        lines, brief, cause = [case["sentence"], problem], _brief(problem, came[first].said), None
    lines += example_of(item, names, tolerance)
    if not found and problem.kind in case["fits"] and case["hint"]:
        lines.append(case["hint"])
    return Verdict(name, item["title"], "wrong", brief, tuple(lines), cause or problem.cause)


def behind(verdict: Verdict, recorded: Mapping[str, Any], names: Mapping[str, Any]) -> Verdict:
    """The same of what nothing explains, with an earlier item that it is built on and is wrong."""
    if verdict.state != "wrong" or verdict.cause:
        return verdict
    for name in recorded["items"][verdict.name].get("after", ()):
        earlier = judge(name, recorded["items"][name], recorded.get("mistakes", {}), names)
        if earlier.state == "wrong":
            said = f"It is built on what {name} looks at, which is not yet right: mend that first."
            return replace(verdict, brief=said, lines=(said, *verdict.lines))
    return verdict


def _brief(problem: Problem, called: str) -> str:
    """A problem on a line: without the call, the line of an exception, and numbers."""
    said = problem.partition("\n")[0].removeprefix(called).lstrip(": ")
    return said.partition("; the largest difference")[0]


def _judged_by_file(name: str, item: Item, names: Mapping[str, Any]) -> Verdict | None:
    """What a function of a file that is handed out says of the item, if the course names one.

    It is called with the names of the notebook, and returns what is right and what is wrong, each
    in a sentence, one of them None.
    """
    if "asks" not in item:
        return None
    module, _, function = item["asks"].partition(".")
    right, wrong = getattr(importlib.import_module(module), function)(names)
    if wrong is not None:
        brief = wrong.partition("\n")[0]
        return Verdict(name, item["title"], "wrong", brief, (item["sentences"][0], wrong))
    return Verdict(name, item["title"], "right", right, tuple(item["sentences"]))


def _right(name: str, item: Item, started: float) -> Verdict:
    count = len(item["cases"])
    state = "later" if not count else "right"
    if not count:
        brief = "nothing can be tried here. When it is graded:"
    elif item["shapes_only"]:
        brief = "the shapes are right. The values are looked at when it is graded:"
    else:
        seconds = time.perf_counter() - started
        cases = "the public case passes" if count == 1 else f"the {count} public cases pass"
        brief = f"{cases} ({seconds:.2f} s). When it is graded, with other inputs:"
    return Verdict(name, item["title"], state, brief, tuple(item["sentences"]))
