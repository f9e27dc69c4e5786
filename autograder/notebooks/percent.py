"""The percent format, as far as a student's file is concerned: cells, their sources and ids.

jupytext reads our own sources. On a stranger's file its YAML header and its metadata raise too
many kinds of errors and take too long; neither has anything that grading needs.
"""

import contextlib
import json
import re
from typing import Any

_MARKER = re.compile(r"^#[ \t]*%%(?:[ \t](.*))?$", re.MULTILINE)
_OPTION = re.compile(r'(?<!\w)(\w++)="([^"]*)"')
_TEXT = re.compile(r"\[(markdown|md|raw)\]")
_COMMENTS = re.compile(r"(?:#.*|\s)*+")  # the header is one
_MAX_OPTIONS = 2_000


def percent_cells(text: str) -> list[dict[str, Any]]:
    """The cells in the form that they have in a notebook."""
    before, *parts = _MARKER.split(text.replace("\r\n", "\n"))
    cells = [] if _COMMENTS.fullmatch(before) else [_cell("", before)]
    for options, source in zip(parts[::2], parts[1::2], strict=True):
        cells.append(_cell((options or "")[:_MAX_OPTIONS], source))
    return cells


def _cell(options: str, source: str) -> dict[str, Any]:
    metadata: dict[str, Any] = dict(_OPTION.findall(options))
    _, nbgrader, value = options.partition("nbgrader=")
    if nbgrader:
        with contextlib.suppress(ValueError, RecursionError):
            metadata["nbgrader"] = json.JSONDecoder().raw_decode(value)[0]
    kind = "markdown" if _TEXT.search(options) else "code"
    return {"cell_type": kind, "source": source.strip("\n"), "metadata": metadata}
