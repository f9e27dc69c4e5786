"""All items at a glance: their points, and how far each one is."""

from collections.abc import Mapping
from typing import Any

from .judged import judge
from .running import running
from .shown import SAID, line_of, show, table


def show_progress(recorded: Mapping[str, Any], names: Mapping[str, Any]) -> None:
    """Try all items, and show a table of them."""
    states, rows = [], []
    right = total = 0.0
    items = recorded["items"]
    with running("check()", names):
        judged = [judge(name, recorded, names).state for name in items]
    for state, (name, item) in zip(judged, items.items(), strict=True):
        shapes = state == "right" and item["shapes_only"]
        states.append("later" if shapes else state)
        said = "its shape is right, its numbers are looked at later" if shapes else SAID[state]
        rows.append((item["title"], name, f"{item['points']:g}", said))
        total += item["points"]
        right += item["points"] if states[-1] == "right" else 0
    for each in recorded.get("manual", ()):
        states.append("later")
        rows.append((each["title"], "", f"{each['points']:g}", "read by people"))
        total += each["points"]
    head = "Part", "check", "points", "here"
    widths = [max(len(row[at]) for row in [head, *rows]) for at in range(3)]
    lines = [
        "  ".join([*(f"{each:<{width}}" for each, width in zip(row, widths, strict=False)), row[3]])
        for row in [head, *rows]
    ]
    sum_of = f"{right:g} of {total:g} points are right here. Grading tries other inputs, and more."
    show("\n".join([*lines, "", sum_of]), table(head, rows, states) + line_of(sum_of))
