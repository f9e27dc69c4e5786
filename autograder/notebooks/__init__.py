"""Notebooks to cells: the source of an assignment, and submissions, read with bounds."""

from autograder.notebooks.banned import banned_uses
from autograder.notebooks.beside import files_beside
from autograder.notebooks.file import read_bounded, read_notebook
from autograder.notebooks.finding import (
    UnreadableSubmission,
    find_submission,
    has_handed_in,
    lie_beside,
    refuse_links,
    student_name,
)
from autograder.notebooks.given import (
    MODULE,
    can_be_given,
    given_names,
    given_source,
    parts_elsewhere,
)
from autograder.notebooks.marks import place_of
from autograder.notebooks.pasted import known_by
from autograder.notebooks.percent import percent_cells
from autograder.notebooks.source import (
    READY,
    Source,
    SourceCell,
    read_source,
)
from autograder.notebooks.submission import (
    Submission,
    modules_for,
    read_submission,
)

__all__ = [
    "MODULE",
    "READY",
    "Source",
    "SourceCell",
    "Submission",
    "UnreadableSubmission",
    "banned_uses",
    "can_be_given",
    "files_beside",
    "find_submission",
    "given_names",
    "given_source",
    "has_handed_in",
    "known_by",
    "lie_beside",
    "modules_for",
    "parts_elsewhere",
    "percent_cells",
    "place_of",
    "read_bounded",
    "read_notebook",
    "read_source",
    "read_submission",
    "refuse_links",
    "student_name",
]
