"""What is compared: of a submission the student's own code, less what everybody was given."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from autograder.course import Result
from autograder.notebooks import Source, UnreadableSubmission, read_notebook, read_submission
from autograder.similar.marks import Mark, key_of, marks, names

__all__ = ["HandedOut", "Work", "handed_out", "read_work"]

_MARKER = re.compile(r"^ *### (BEGIN|END) SOLUTION\n?", re.MULTILINE)


@dataclass(frozen=True)
class HandedOut:
    """What nobody had to write: its names, and the keys of all marks in it."""

    names: frozenset[str]
    keys: frozenset[int]

    def own(self, text: str) -> Iterator[Mark]:
        """The marks of a student's text that are not those of what was handed out."""
        return (each for each in marks(text, self.names) if each.key not in self.keys)


@dataclass(frozen=True)
class Work:
    """One submission, as it is compared."""

    student: str
    folder: str | None  # of an earlier class; None: of the class itself
    cells: tuple[tuple[str, str], ...]  # the name of each cell, and the student's text
    keys: npt.NDArray[np.uint64]  # of its marks, each once, sorted
    mistakes: Mapping[int, str]  # what it does wrong, by key
    name: str = ""  # the student's, where it is known

    @cached_property
    def label(self) -> str:
        """What it is called on the page."""
        if self.folder is not None:
            return f"{self.folder}/{self.student}"
        known = self.name not in ("", self.student)
        return f"{self.name} ({self.student})" if known else self.student


def handed_out(source: Source, release: Path) -> HandedOut:
    """The text of the assignment, of the right answer and of what is given.

    release: the notebook that students get; where it is not there, the source alone.
    """
    texts = [_MARKER.sub("", each.source) for each in source.cells if each.kind == "code"]
    texts.append(source.given)
    with suppress(UnreadableSubmission):
        texts += _code(read_notebook(release)[0]["cells"])
    known = frozenset[str]().union(*map(names, texts))
    return HandedOut(known, frozenset(each.key for text in texts for each in marks(text, known)))


def _code(cells: Sequence[Any]) -> Iterator[str]:
    yield from ("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


def read_work(
    student: str,
    path: Path,
    source: Source,
    given: HandedOut,
    result: Result | None = None,
    folder: str | None = None,
    name: str = "",
) -> Work:
    """Read a student's notebook, which is never run. Raises UnreadableSubmission."""
    ours = {cell.name for cell in source.cells if cell.role == "given"}
    found = read_submission(path, source).cells
    cells = tuple(
        (cell.name, cell.source) for cell in found if cell.solution or cell.name not in ours
    )
    mistakes = {
        key_of("mistake", what): what
        for each in (result.mistakes if result else ())
        for what in (each.what if each.kind == "named" else ())
    }
    keys = {mark.key for _, text in cells for mark in given.own(text)} | mistakes.keys()
    return Work(student, folder, cells, np.array(sorted(keys), np.uint64), mistakes, name)
