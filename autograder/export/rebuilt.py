"""A submission as a notebook for people's eyes: our release with the student's answers in it.

What grading runs is put together in `notebooks`; this is to be looked at, on the pages on which
nbgrader lets people read, comment on and grade answers, and nothing of it gives points. Of a
student's file there are left: the texts of cells, and of stored outputs plain text and pictures.
HTML and scripts in them would run in the browser of whoever grades, so on those pages Markdown is
rendered without it (markdown.py).
"""

import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output
from nbformat.v4.rwbase import rejoin_lines

from autograder.notebooks import UnreadableSubmission, find_submission, read_notebook
from autograder.release import without_facts

__all__ = ["HandedInCell", "read_cells", "rebuild"]

_PICTURES = ("image/png", "image/jpeg")
_MAX_OUTPUTS = 2_000  # of all cells
_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]*")


@dataclass(frozen=True)
class HandedInCell:
    """What may be shown of a student's cell."""

    kind: str  # "code" or "markdown"
    grade_id: str | None
    source: str
    outputs: list[NotebookNode] = field(default_factory=list)
    attachments: dict[str, dict[str, str]] = field(default_factory=dict)  # pasted pictures


def read_cells(path: Path) -> list[HandedInCell]:
    """The cells of a student's notebook, or of the only one beside it; none if it is unreadable."""
    try:
        notebook, _ = read_notebook(find_submission(path.parent, path.stem))
        cells = rejoin_lines(_as_nodes(notebook)).cells
        left = iter(range(_MAX_OUTPUTS))
        return [_handed_in(cell, left) for cell in cells if _has_text(cell)]
    except UnreadableSubmission:
        return []
    except Exception:  # a reader fed with nonsense may raise anything; the verdicts say what
        return []


def _as_nodes(notebook: dict[str, Any]) -> NotebookNode:
    """As nodes, what rejoining lines needs as such."""
    cells = [NotebookNode(each) if isinstance(each, dict) else each for each in notebook["cells"]]
    for cell in filter(lambda each: "outputs" in each, cells):
        cell.outputs = nbformat.from_dict(cell.outputs)
    return NotebookNode(cells=cells)


def rebuild(release: NotebookNode, theirs: list[HandedInCell]) -> NotebookNode:
    """A copy of the release with their answers, and what they added behind its place.

    The story's words are the release's own cells, not copies; theirs may tell of other dates and
    points, if these changed after it was handed out.
    Doing it again with what has come of it changes nothing.
    """
    ours = {_grade_id(cell): cell for cell in release.cells if _grade_id(cell)}
    story = {without_facts(cell.source) for cell in release.cells if not _grade_id(cell)}
    answers = {
        cell.grade_id: cell
        for cell in theirs
        if cell.grade_id in ours and cell.kind == ours[cell.grade_id].cell_type
    }
    added: dict[str | None, list[NotebookNode]] = {}
    place = None
    for number, cell in enumerate(theirs, start=1):
        if answers.get(cell.grade_id) is cell:
            place = cell.grade_id
        elif without_facts(cell.source) not in story and not _is_locked(ours.get(cell.grade_id)):
            added.setdefault(place, []).append(_shown(cell, f"added_{number}"))
    notebook = deepcopy(NotebookNode({**release, "cells": []}))
    notebook.cells = added.get(None, [])
    for released in release.cells:
        grade_id = _grade_id(released)
        # Nobody writes to the story's words, which are most of a notebook.
        each = deepcopy(released) if grade_id or released.cell_type == "code" else released
        answer = answers.get(grade_id)
        if answer is not None:
            _answer(each, answer)
        notebook.cells += [each, *added.get(grade_id, [])] if grade_id else [each]
    return notebook


def _answer(cell: NotebookNode, answer: HandedInCell) -> None:
    about = cell.metadata.nbgrader
    if about.solution:
        cell.source = answer.source
        if answer.attachments:
            cell.attachments = answer.attachments
    if cell.cell_type == "code" and (about.solution or not about.grade):
        cell.outputs = answer.outputs


def _shown(cell: HandedInCell, id: str) -> NotebookNode:
    if cell.kind == "code":
        return new_code_cell(cell.source, id=id, outputs=cell.outputs)
    pasted = {"attachments": cell.attachments} if cell.attachments else {}
    return new_markdown_cell(cell.source, id=id, **pasted)


def _is_locked(cell: NotebookNode | None) -> bool:
    return cell is not None and not cell.metadata.nbgrader.solution


# What a stranger's notebook says


def _has_text(cell: Any) -> bool:
    return isinstance(cell, dict) and isinstance(cell.get("source"), str)


def _handed_in(cell: NotebookNode, left: Iterator[int]) -> HandedInCell:
    # A raw cell is shown as code is: as text. Told to be HTML, it would go to the page as it is.
    kind = "markdown" if cell.get("cell_type") == "markdown" else "code"
    source = _whole(cell["source"])
    outputs = [each for each, _ in zip(_outputs(cell), left, strict=False)]
    attachments = dict(_attachments(cell))
    return HandedInCell(kind, _grade_id(cell), source, outputs, attachments)


def _whole(text: str) -> str:
    """The text without half characters, which JSON can smuggle in and no file can hold."""
    return text.encode(errors="replace").decode()


def _grade_id(cell: NotebookNode) -> str | None:
    metadata = cell.get("metadata")
    about = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    grade_id = about.get("grade_id") if isinstance(about, dict) else None
    return grade_id if isinstance(grade_id, str) else None


def _outputs(cell: NotebookNode) -> Iterator[NotebookNode]:
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else []:
        kind = output.get("output_type") if isinstance(output, dict) else None
        if kind == "stream" and isinstance(output.get("text"), str):
            yield new_output("stream", name="stdout", text=_whole(output["text"]))
        elif kind == "error" and isinstance(output.get("traceback"), list):
            said = [line for line in output["traceback"] if isinstance(line, str)]
            yield new_output("stream", name="stdout", text=_whole("\n".join(said)))
        elif kind in ("display_data", "execute_result") and (data := _harmless(output.get("data"))):
            yield new_output("display_data", data=data)


def _attachments(cell: NotebookNode) -> Iterator[tuple[str, dict[str, str]]]:
    attachments = cell.get("attachments")
    for name, data in attachments.items() if isinstance(attachments, dict) else ():
        found = _harmless(data)
        found.pop("text/plain", None)
        if found:
            yield _whole(name), found


def _harmless(data: Any) -> dict[str, str]:
    found = {}
    for kind, value in data.items() if isinstance(data, dict) else ():
        if isinstance(value, str):
            picture = kind in _PICTURES and _BASE64.fullmatch(value)
            if picture or kind == "text/plain":
                found[kind] = _whole(value)
    return found
