"""A graded submission where the formgrader looks for it, our verdicts under the student's cells."""

import json
import shutil
from functools import lru_cache
from pathlib import Path
from typing import Any

from nbformat import NotebookNode, from_dict
from nbformat.v4.rwbase import split_lines, strip_transient
from nbgrader.preprocessors import LimitOutput

from autograder.course import Assignment, Result
from autograder.export.gradebook import HandedIn
from autograder.export.rebuilt import read_cells, rebuild
from autograder.export.settings import Settings
from autograder.export.times import TIMESTAMP, hand_in_time
from autograder.export.verdicts import unanswered, write_verdicts
from autograder.notebooks import files_beside

__all__ = ["write_autograded"]

_KEPT, _KEPT_LENGTH = 512, 20_000  # cells as they are written, and the longest of them


def write_autograded(
    result: Result,
    assignment: Assignment,
    release: NotebookNode,
    figures: list[Path],
    submitted: Path,
    settings: Settings,
) -> HandedIn:
    """Write what `nbgrader autograde` would leave of a submission, the folder whole or not at all.

    Without a score there is none, as there: nbgrader lists the submission as not yet graded.
    Returns what the gradebook is to know of it.
    """
    notebook = rebuild(release, read_cells(submitted / f"{assignment.id}.ipynb"))
    handed_in = HandedIn(hand_in_time(submitted), unanswered(notebook))
    folder = settings.autograded(result.student, assignment.id)
    if result.needs_staff:
        shutil.rmtree(folder, ignore_errors=True)
        return handed_in
    write_verdicts(notebook, result, assignment)
    LimitOutput().preprocess(notebook, {})
    fresh = folder.with_name(f".{folder.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    try:
        ours = TIMESTAMP, f"{assignment.id}.ipynb"
        _copy_what_lies_beside(submitted, fresh, [*settings.directory.ignore], ours)
        if handed_in.time.problem and (fresh / TIMESTAMP).exists():
            (fresh / TIMESTAMP).write_text("")  # nbgrader would end a run over it
        for each in figures:
            path = fresh / "figures" / each.name
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(each, path)
        (fresh / f"{assignment.id}.ipynb").write_text(_as_json(notebook), encoding="utf-8")
        for each in filter(Path.is_file, fresh.rglob("*")):
            each.chmod(0o664 if settings.directory.groupshared else 0o444)  # as nbgrader does
        shutil.rmtree(folder, ignore_errors=True)
        fresh.rename(folder)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return handed_in


def _as_json(notebook: NotebookNode) -> str:
    """As nbformat.write writes it, cell by cell: most are the same in each submission.

    It is not looked whether it is a notebook: it is, on our release.
    """
    lines = [
        (_cell_once if len(cell) <= _KEPT_LENGTH else _cell)(cell)
        for cell in (json.dumps(each, sort_keys=True) for each in notebook.cells)
    ]
    around = strip_transient(NotebookNode({**notebook, "cells": []}))
    return _written({**around, "cells": [None]}).replace("null", ",\n  ".join(lines), 1) + "\n"


def _cell(cell: str) -> str:
    """How a cell, as JSON, is written in a notebook."""
    (whole,) = split_lines(from_dict({"cells": [json.loads(cell)]})).cells
    whole.metadata.pop("trusted", None)
    return _written(whole).replace("\n", "\n  ")


_cell_once = lru_cache(_KEPT)(_cell)


def _written(value: object) -> str:
    how: dict[str, Any] = {"indent": 1, "sort_keys": True, "separators": (",", ": ")}
    return json.dumps(value, ensure_ascii=False, **how)


def _copy_what_lies_beside(
    submitted: Path, folder: Path, ignore: list[str], ours: tuple[str, ...]
) -> None:
    """ours: names of files that nothing else may bear, such as a folder."""
    folder.mkdir(parents=True)
    for name, data in files_beside(submitted, ignore):
        if name.partition("/")[0] in ours and "/" in name:
            continue
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
