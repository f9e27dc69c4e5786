"""What is to be said of an item: its public cases put to the notebook, and what comes of it."""

import importlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from .banned import banned_use, not_allowed
from .example import example_of
from .mistakes import mistakes
from .problem import Cause, Problem
from .raised import raised, undefined, unwritten
from .recorded import ask, problem_of

Item = Mapping[str, Any]
_OTHERS = "When it is graded, with other inputs:"
_TRYING = "Trying it"


@dataclass(frozen=True)
class Verdict:
    """What is to be said of one item: `brief` on a line, `lines` to who wants to know more.

    state: "right", "wrong", "begun" for what is not written yet, "later" for what only grading
    looks at. cause: what may make other items fail alike. proven: whether it lies in this item's
    own code, and not in what that is built on. heading: of the lines, where they are a list.
    """

    name: str
    title: str
    state: str
    brief: str
    lines: tuple[str, ...]
    cause: Cause | None = None
    proven: bool = False
    heading: str = ""


def judge(name: str, recorded: Mapping[str, Any], names: Mapping[str, Any]) -> Verdict:
    """Put an item's public cases to the notebook.

    recorded: all of cases.json. names: all that the notebook defines.
    """
    started = time.perf_counter()
    item: Item = recorded["items"][name]
    known, tolerance = recorded.get("mistakes", {}), item["tolerance"]
    if told := _not_allowed(item, recorded, names):
        return Verdict(name, item["title"], "wrong", told, (told,), Cause(told, told), proven=True)
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
        return _begun(name, item, case["sentence"], problem)
    lines, brief = [_asked(case["sentence"]), problem], _brief(problem, came[first].said)
    cause, proven = problem.cause, problem.cause is not None and came[first].error is None
    said = mistakes(item, known, came, problems)
    if said:
        what = "this mistake" if len(said) == 1 else "one of these mistakes"
        short = " Or: ".join(each.partition("\n")[0] for each in said)
        brief = f"Your code does what {what} does: {short}"
        lines.insert(0, f"Your code does what {what} does: " + "\nor: ".join(said))
        cause, proven = Cause(tuple(said), short), True
    lines += example_of(item, names, tolerance, came[first].error is not None)
    if not said and problem.kind in case["fits"] and case["hint"]:
        lines.append(case["hint"])
    return Verdict(name, item["title"], "wrong", brief, tuple(lines), cause, proven)


def behind(verdict: Verdict, recorded: Mapping[str, Any], names: Mapping[str, Any]) -> Verdict:
    """The same of what nothing explains, with an earlier item that it is built on and is wrong."""
    if verdict.state != "wrong" or verdict.proven:
        return verdict
    for name in recorded["items"][verdict.name].get("after", ()):
        earlier = judge(name, recorded, names)
        if earlier.state == "wrong":
            if verdict.cause and verdict.cause == earlier.cause:
                return verdict  # which says more: it is told as one
            said = f"It is built on what {name} looks at, which is not yet right: mend that first."
            return replace(verdict, brief=said, lines=(said, *verdict.lines), cause=None)
    return verdict


def _not_allowed(item: Item, recorded: Mapping[str, Any], names: Mapping[str, Any]) -> str | None:
    for name in dict.fromkeys(case["name"] for case in item["cases"]):
        banned = recorded["banned"] + recorded["banned_in"].get(name, [])
        if used := banned_use(name, banned, names):
            return not_allowed(name, used)
    return None


def _brief(problem: Problem, called: str) -> str:
    """A problem on a line: without the call, the line of an exception, and numbers."""
    said = problem.partition("\n")[0].removeprefix(called).lstrip(": ")
    return said.partition("; the largest difference")[0]


def _asked(sentence: str) -> str:
    return f"Asked: {sentence}"  # it stands where the notebook does not do it


def _begun(name: str, item: Item, sentence: str, problem: Problem) -> Verdict:
    lines = _asked(sentence), problem
    return Verdict(name, item["title"], "begun", problem, lines, problem.cause)


class _Undefined(Exception):
    """A name that the notebook does not define."""


class _Names(dict[str, Any]):
    def __missing__(self, name: str) -> Any:
        raise _Undefined(name)


def _judged_by_file(name: str, item: Item, names: Mapping[str, Any]) -> Verdict | None:
    """What a function of a file that is handed out says of the item, if the course names one.

    It is called with the names of the notebook, and returns what is right and what is wrong, each
    in a sentence, one of them None. What it raises is told as of any other call.
    """
    if "asks" not in item:
        return None
    module, _, function = item["asks"].partition(".")
    sentence, title = item["sentences"][0], item["title"]
    try:
        right, wrong = getattr(importlib.import_module(module), function)(_Names(names))
    except _Undefined as error:
        return _begun(name, item, sentence, undefined(str(error)))
    except Exception as error:
        if stub := unwritten(error):
            return _begun(name, item, sentence, stub)
        problem = raised(_TRYING, error, names)
        brief, lines = _brief(problem, _TRYING), (_asked(sentence), problem)
        return Verdict(name, title, "wrong", brief, lines, problem.cause)
    if wrong is not None:
        brief = wrong.partition("\n")[0]
        return Verdict(name, title, "wrong", brief, (_asked(sentence), wrong))
    return Verdict(name, title, "right", right, tuple(item["sentences"]), heading=_OTHERS)


def _right(name: str, item: Item, started: float) -> Verdict:
    count = len(item["cases"])
    state = "later" if not count else "right"
    heading = _OTHERS
    if not count:
        brief, heading = "nothing can be tried here.", "When it is graded:"
    elif item["shapes_only"]:
        brief, heading = "the shapes are right.", "The values are looked at when it is graded:"
    else:
        seconds = time.perf_counter() - started
        cases = "the public case passes" if count == 1 else f"the {count} public cases pass"
        brief = f"{cases} ({seconds:.2f} s)."
    return Verdict(name, item["title"], state, brief, tuple(item["sentences"]), heading=heading)
