"""Checks your notebook against recorded cases: check("name of the item"); all items: check().

The cases lie beside this file in cases.json: inputs, and what a right solution gives for them.
Grading uses other inputs and looks at more; each check says at what.
"""

import json
import os
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from .drawing import Draw, drawing_of
from .judged import Verdict, behind, judge
from .problem import CheckFailed
from .progress import show_progress
from .running import running
from .shapes import trace
from .shown import SAID, as_html, as_text, notebook, show, wrapped
from .told import forget, told_at

__all__ = ["CheckFailed", "check", "drawing", "trace"]


def check(item: str | None = None) -> None:
    """Try the public cases of an item on the notebook's own functions; of all without a name.

    In a notebook what is wrong is shown, and the next cell runs. Raises CheckFailed in plain
    Python, where nbgrader validates, which looks for an exception, and when it is interrupted.
    """
    recorded, names = _recorded(), vars(sys.modules["__main__"])
    if item is None:
        show_progress(recorded, names)
        return
    if item not in recorded["items"]:
        known = ", ".join(recorded["items"])
        raise CheckFailed(f"there is no item {item!r}; the items are: {known}")
    with running(item, names):
        verdict = judge(item, recorded, names)
        verdict = behind(verdict, recorded, names)
    if verdict.state in ("right", "later"):
        forget(item)
        show(wrapped(as_text(verdict)), as_html(verdict))
        return
    text, html = _not_yet_right(verdict)
    if notebook() is None:
        raise CheckFailed(text)
    if "NBGRADER_EXECUTION" in os.environ:
        raise CheckFailed(wrapped(text))  # Validate's window cuts long lines off
    show(wrapped(text), html)


def _not_yet_right(verdict: Verdict) -> tuple[str, str]:
    """As text and as HTML; a line is enough where another item was told the same."""
    cause = verdict.cause
    first = told_at(verdict.name, cause) if cause else verdict.name
    if not cause or first == verdict.name:
        return as_text(verdict), as_html(verdict)
    same = f"the same as in {first}: {cause.said}"
    return f"{verdict.name}: {SAID[verdict.state]}, {same}", as_html(replace(verdict, brief=same))


def drawing(draw: Draw) -> Draw:
    """For a function that draws: where it cannot, say what is to be mended first."""

    return drawing_of(draw, _recorded(), vars(sys.modules["__main__"]))


@cache
def _recorded() -> dict[str, Any]:
    path = Path(__file__).with_name("cases.json")
    recorded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return recorded
