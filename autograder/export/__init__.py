"""Results to where people look: the gradebook, feedback pages, the class page."""

from autograder.export.cards import Card, as_text, cards_of, evidence, line, told_in
from autograder.export.gradebook import (
    GradebookError,
    record,
)
from autograder.export.page import write_page
from autograder.export.publish import publish

__all__ = [
    "Card",
    "GradebookError",
    "as_text",
    "cards_of",
    "evidence",
    "line",
    "publish",
    "record",
    "told_in",
    "write_page",
]
