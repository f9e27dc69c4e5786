"""A student's file as a notebook of version 4, in bounded time and memory, whatever it holds.

Of an older version that which grading needs is brought to the place where version 4 has it:
nbformat's own converters take a minute over a million cells, and have much that may fail.
"""

import json
import re
import stat
from itertools import islice
from pathlib import Path
from typing import Any

from autograder.notebooks.finding import UnreadableSubmission
from autograder.notebooks.percent import percent_cells
from autograder.sandbox import wire

MAX_FILE_BYTES = 8 << 20
MAX_CELLS = 2_000
MAX_SOURCE_BYTES = 75_000  # some two thousand lines
_MAX_PARTS = 300_000  # of its JSON: a line of text is two of them
_PART = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\[{,]', re.DOTALL)


def read_notebook(path: Path) -> tuple[dict[str, Any], bytes]:
    """A student's .ipynb or percent-format .py: what it says, with a list of cells, and its bytes.

    Raises UnreadableSubmission.
    """
    data = read_bounded(path)
    notebook = _parsed(path, data)
    cells = notebook.get("cells")
    if not isinstance(cells, list):
        raise UnreadableSubmission(f"{path.name} has no list of cells: is it a notebook?")
    if len(cells) > MAX_CELLS:
        raise UnreadableSubmission(f"{len(cells)} cells; at most {MAX_CELLS} can be read.")
    return notebook, data


def short(text: str) -> str:
    """What a file says, fit to be quoted."""
    return wire.text(text if len(text) <= 60 else f"{text[:57]}...", 60)


def read_bounded(path: Path) -> bytes:
    """A student's file. Raises UnreadableSubmission for a link, and what is too long or closed."""
    try:
        info = path.lstat()
        if not stat.S_ISREG(info.st_mode):
            what = "a link, and links are not followed" if path.is_symlink() else "no regular file"
            raise UnreadableSubmission(f"{path.name} is {what}: put the file itself there.")
        if info.st_size > MAX_FILE_BYTES:
            raise UnreadableSubmission(
                f"{path.name} has {info.st_size / 2**20:.0f} MiB; at most "
                f"{MAX_FILE_BYTES >> 20} MiB can be read. Clear all outputs and hand it in again."
            )
        return path.read_bytes()
    except OSError as error:
        raise UnreadableSubmission(f"{path.name} cannot be read: {error.strerror}.") from error


def _parsed(path: Path, data: bytes) -> dict[str, Any]:
    if data.startswith(b"PK"):
        raise UnreadableSubmission(
            f"{path.name} is a zip and no notebook: unpack it, put the notebook in it there under "
            "this name, and grade again."
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableSubmission(
            f"{path.name} is not UTF-8 text (byte {error.start}): was it saved by Jupyter?"
        ) from error
    if path.suffix == ".py":
        if len(data) > MAX_SOURCE_BYTES:
            raise UnreadableSubmission(f"{path.name} is too long for a notebook's source.")
        return {"cells": percent_cells(text)}
    if not text.strip():
        raise UnreadableSubmission(f"{path.name} is empty: ask for the whole file.")
    if next(islice(_PART.finditer(data), _MAX_PARTS, None), None):
        raise UnreadableSubmission(
            f"{path.name} has more than {_MAX_PARTS // 2:,} lines. Clear all outputs and hand it "
            "in again."
        )
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableSubmission(
            f"{path.name} is not a notebook: its JSON breaks off or is damaged ({error})."
        ) from error
    if not isinstance(notebook, dict):
        raise UnreadableSubmission(f"{path.name} is JSON, but not a notebook.")
    version = notebook.get("nbformat")
    if version not in (1, 2, 3, 4):
        said = "in no number" if isinstance(version, (list, dict)) else short(repr(version))
        raise UnreadableSubmission(
            f"{path.name} says nbformat {said}; versions 1 to 4 can be read."
        )
    return notebook if version == 4 else {**notebook, "cells": _old_cells(notebook)}


def _old_cells(notebook: dict[str, Any]) -> list[Any] | None:
    """The cells of versions 1 to 3, with their texts where version 4 has them."""
    sheets = notebook.get("worksheets", [notebook])
    sheets = sheets if isinstance(sheets, list) else []
    lists = [each.get("cells") for each in sheets if isinstance(each, dict)]
    if not lists or not all(isinstance(each, list) for each in lists):
        return None
    cells = [cell for each in lists for cell in each or ()]
    return [
        {**cell, "source": cell.get("source", cell.get("input", cell.get("code")))}
        if isinstance(cell, dict)
        else cell
        for cell in cells
    ]
