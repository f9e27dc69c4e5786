"""What the pages share: the look of each verdict, numbers and texts made fit to read, jinja.

A page is one file that needs nothing else: no picture, no font, no network. Its texts may come
from a student's program, so every text is escaped, and stripped of what steers a terminal or turns
reading order round; a content policy in the page is the second wall. It lets no script run but
ours, which pages for staff have, by its hash.
"""

import base64
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

import mistune
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from autograder.course import Verdict, write_atomically

__all__ = ["LOOKS", "Look", "fill", "legible", "number", "with_code", "with_marks", "write_page"]


@dataclass(frozen=True)
class Look:
    """How a verdict is shown: never by its colour alone."""

    symbol: str
    meaning: str  # a sentence without its full stop
    light: str  # the ink on a light page, as #rrggbb
    dark: str  # the ink on a dark page


LOOKS: Mapping[Verdict, Look] = MappingProxyType(
    {
        Verdict.PASSED: Look("✓", "Right", "#1c7448", "#74c79b"),
        Verdict.CARRIED: Look("→", "Right except for a mistake elsewhere", "#2560a4", "#86b6ee"),
        Verdict.WRONG: Look("✗", "It ran, and its answer is not right", "#b0342a", "#f2938a"),
        Verdict.MISSING: Look("○", "Still the stub, or not there", "#5f656e", "#a4abb5"),
        Verdict.ERROR: Look("!", "It raised an exception", "#a4480c", "#eda26d"),
        Verdict.TIMEOUT: Look("∞", "It took longer than allowed", "#805c00", "#d8b45f"),
        Verdict.MEMORY: Look("≫", "It used more memory than allowed", "#75552f", "#cdaa82"),
        Verdict.FORBIDDEN: Look(
            "⊘", "It used a call that does this item's work", "#9d2c6b", "#ec90c2"
        ),
        Verdict.UNREADABLE: Look("¿", "What was handed in could not be read", "#0d6572", "#74c3d0"),
        Verdict.INTERNAL: Look(
            "?", "Our fault, not the submission's: staff are looking at it", "#6a3db8", "#b9a0f2"
        ),
    }
)

# Control characters but for tab and line feed, marks that reorder text, and halves of characters
# that no file can hold.
_ILLEGIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)

_PIECES = 5_000  # of a page, that are made before they go to the disk

_CODE = re.compile("`([^`\n]+)`")
_MARKED = re.compile(rf"{_CODE.pattern}|(?<!\w)\*(\w[^*`\n]*)\*(?!\w)")


def legible(value: object) -> object:
    """The value, and if it is a text then with a mark for each character nobody can read."""
    # Exactly str: what jinja holds for safe already is a subclass, and must stay one.
    return _ILLEGIBLE.sub("\ufffd", value) if type(value) is str else value


def number(value: float | None) -> str:
    """A score as people write it: 3, 2.5, 0.33; a dash for no score."""
    return "–" if value is None else f"{round(value, 2):.10g}"  # noqa: RUF001 (a dash)


def with_code(text: str) -> Markup:
    """A sentence in which what stands between backticks is code."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(legible(text)))))


def with_marks(text: str) -> Markup:
    """A sentence of the course's own, as Markdown has it: `code`, and *words* that are stressed."""
    return Markup(
        _MARKED.sub(
            lambda found: f"<code>{found[1]}</code>" if found[1] else f"<em>{found[2]}</em>",
            str(escape(legible(text))),
        )
    )


def with_markdown(text: str) -> Markup:
    """What people write of an answer, whose box in the formgrader takes Markdown; HTML is text."""
    rendered = mistune.create_markdown(escape=True, hard_wrap=True)(str(legible(text)))
    return Markup(rendered)


def write_page(path: Path, template: str, **context: object) -> None:
    """Fill `template`, a file below this package such as export/class.html.jinja; written whole."""
    pieces = _environment().get_template(template).stream(context)
    pieces.enable_buffering(_PIECES)
    write_atomically(path, pieces)


def fill(template: str, **context: object) -> str:
    """What a template makes of this: a page, or a part of one."""
    return _environment().get_template(template).render(context)


def _sha256(text: str) -> str:
    """As a content policy names a script."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("autograder", "."),
        autoescape=True,
        finalize=legible,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["number"] = number
    environment.filters["code"] = with_code
    environment.filters["marks"] = with_marks
    environment.filters["markdown"] = with_markdown
    environment.filters["sha256"] = _sha256
    environment.globals["looks"] = LOOKS
    return environment
