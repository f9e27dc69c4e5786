"""What is said, shown: in a notebook as HTML that suits light and dark, elsewhere as text."""

import sys
import textwrap
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from .judged import Verdict

_WIDTH = 96  # characters of a line of text; no word is cut
# Seen on white and on black; all else keeps the colours of the page that it stands in.
_MARKS = {
    "right": ("✓", "#2e8b57"),
    "wrong": ("✗", "#d1453b"),
    "begun": ("○", "#808080"),
    "later": ("○", "#808080"),
}
SAID = {
    "right": "right, as far as it is tried here",
    "wrong": "not yet right",
    "begun": "not written yet",
    "later": "looked at when it is graded",
}
_LINE = "border-left: 3px solid {}; padding: 1px 10px; margin: 2px 0; line-height: 1.45"
_MORE = (
    "white-space: pre-wrap; overflow-wrap: anywhere; word-break: normal; "
    "font-family: inherit; margin: 6px 0"
)


def notebook() -> Any:
    """The shell of the notebook, or of IPython in a terminal; None in plain Python."""
    try:
        return sys.modules["IPython"].get_ipython()
    except (KeyError, AttributeError):
        return None


def show(text: str, html: str) -> None:
    """Show what is HTML where that can be read, and text elsewhere."""
    shell = notebook()
    if shell is None:
        print(text)
    else:
        shell.display_pub.publish({"text/plain": text, "text/html": html})


def as_text(verdict: Verdict) -> str:
    """A verdict in lines of text, each as long as it is."""
    if verdict.heading:
        return "\n  - ".join([f"{verdict.name}: {verdict.brief} {verdict.heading}", *verdict.lines])
    said = [each.replace("\n", "\n  ") for each in verdict.lines]
    return "\n  ".join([f"{verdict.name}: {SAID[verdict.state]}", *said])


def wrapped(text: str) -> str:
    """Text in lines that fit a terminal, cut between words."""
    lines = []
    for line in text.splitlines():
        indent = line[: len(line) - len(line.lstrip(" -"))].replace("-", " ")
        lines += textwrap.wrap(
            *(line, _WIDTH),
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        ) or [""]
    return "\n".join(lines)


def as_html(verdict: Verdict) -> str:
    """A line that opens."""
    mark, colour = _MARKS[verdict.state]
    brief = f" is {SAID[verdict.state]}: {verdict.brief}"
    if verdict.heading:
        brief = f": {verdict.brief} (Open: what is graded.)"
    head = (
        f'<b style="color: {colour}">{mark}</b> <b>{escape(verdict.title)}</b> '
        f"({escape(verdict.name)}){escape(brief)}"
    )
    said = (each.removeprefix(verdict.brief).strip() for each in verdict.lines)
    more = "".join(map(_paragraph, filter(None, said)))
    if verdict.heading:
        more = _paragraph(verdict.heading) + _listed(verdict.lines)
    return (
        f'<details style="{_LINE.format(colour)}">'
        f'<summary style="cursor: pointer">{head}</summary>{more}</details>'
    )


def line_of(text: str, state: str = "begun") -> str:
    """One line of HTML."""
    mark, colour = _MARKS[state]
    return (
        f'<div style="{_LINE.format(colour)}"><b style="color: {colour}">{mark}</b> '
        f"{escape(text)}</div>"
    )


def _paragraph(said: str) -> str:
    return f'<div style="{_MORE}">{escape(said)}</div>'


def _listed(lines: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(each)}</li>' for each in lines)}</ul>"


def table(head: Sequence[str], rows: Sequence[Sequence[str]], states: Sequence[str]) -> str:
    """A table of HTML; states: of the rows, whose mark stands before the last column."""
    left = 'style="text-align: left; padding: 2px 14px 2px 0"'
    cells = "".join(f"<th {left}>{escape(each)}</th>" for each in head)
    lines = []
    for row, state in zip(rows, states, strict=True):
        mark, colour = _MARKS[state]
        *first, last = (escape(each) for each in row)
        first.append(f'<b style="color: {colour}">{mark}</b> {last}')
        lines.append("<tr>" + "".join(f"<td {left}>{each}</td>" for each in first) + "</tr>")
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
