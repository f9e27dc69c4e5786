"""Results to where people look: the gradebook, feedback pages, the class page."""

from autograder.export.gradebook import (
    GradebookError,
    record,
)
from autograder.export.page import write_page
from autograder.export.publish import publish

__all__ = [
    "GradebookError",
    "publish",
    "record",
    "write_page",
]
