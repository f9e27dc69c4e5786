"""Students' Markdown as it is shown to whoever grades: text and pictures, and nothing that runs.

What is folded, as hints are, stays folded: of HTML, these tags alone remain, without attributes.

A rubric, which is a cell of ours, becomes buttons in the formgrader.
"""

import html
import re
from html import escape
from typing import Any

from jinja2 import pass_context
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from autograder.export import fill

__all__ = ["markdown_without_html"]

_FOLD = re.compile(r"\s*(?:<details>\s*<summary>([^<>]+)</summary>|</details>)\s*")
_SCHEME = re.compile(r"([^/?#]*):")
_PICTURE = re.compile(r"data:image/(?:png|jpeg);base64,[A-Za-z0-9+/=]*")
# What MathJax makes links, styles and attributes of.
_STEERS = re.compile(r"\\(?=href|url|style|class|cssId|data|html|require)")


class _Renderer(IPythonRenderer):  # type: ignore[misc] # nbconvert ships no types
    """Renders no HTML, and no link but to pages and mail."""

    def link(self, text: str, url: str, title: str | None = None) -> str:
        return str(super().link(text, _harmless(url), title))

    def image(self, text: str, url: str, title: str | None = None) -> str:
        kind, _, name = url.partition(":")
        pasted = kind == "attachment" and name in self.attachments
        return str(super().image(text, url if pasted else _harmless(url), title))

    def block_html(self, tags: str) -> str:
        fold = _FOLD.fullmatch(tags)
        if fold is None:
            return str(super().block_html(tags))
        return f"<details><summary>{escape(fold[1])}</summary>\n" if fold[1] else "</details>\n"

    def block_mermaidjs(self, code: str) -> str:  # nbconvert's is HTML as it came
        return str(self.block_code(code))


def _harmless(url: str) -> str:
    # A browser reads a scheme without the spaces and control characters in it.
    plain = "".join(each for each in html.unescape(url) if each > " ")
    scheme = _SCHEME.match(plain)
    kept = scheme is None or scheme[1].lower() in ("http", "https", "mailto")
    return url if kept or _PICTURE.fullmatch(plain) else "#"


@pass_context
def markdown_without_html(context: Any, source: str) -> str:
    """Render Markdown as nbconvert's filter `markdown2html` does, with HTML in it as text."""
    cell = context.get("cell", {})
    # No student's cell has metadata: what they handed in was put into our release (rebuilt.py).
    rubric = cell.get("metadata", {}).get("autograder", {}).get("rubric")
    if rubric and "submission_id" in context.get("resources", {}):
        return fill("export/rubric.html.jinja", **rubric)
    pasted = cell.get("attachments", {})
    found = MarkdownWithMath(renderer=_Renderer(attachments=pasted)).render(source)
    return _STEERS.sub("\\\\\u200b", found)  # a character that nobody sees ends the command
