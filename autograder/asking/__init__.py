"""A submission as a check sees it: names to call, here or behind the walls; and who is to blame."""

from autograder.asking.after_each import ask_after_each
from autograder.asking.blame import PASTED, TookTooLong, is_import
from autograder.asking.remote import RemoteStudent
from autograder.asking.student import (
    Cell,
    LocalStudent,
    Question,
    ReferenceFailed,
    Reply,
    Student,
    StudentError,
    told,
)
from autograder.asking.verbatim import Digests

__all__ = [
    "PASTED",
    "Cell",
    "Digests",
    "LocalStudent",
    "Question",
    "ReferenceFailed",
    "RemoteStudent",
    "Reply",
    "Student",
    "StudentError",
    "TookTooLong",
    "ask_after_each",
    "is_import",
    "told",
]
