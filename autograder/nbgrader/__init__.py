"""nbgrader's own road to the same grades: what `nbgrader_config.py` names."""

from autograder.nbgrader.converters import (
    Grade,
    NeedsStaff,
    Submissions,
)
from autograder.nbgrader.rebuilt import markdown_without_html

__all__ = [
    "Grade",
    "NeedsStaff",
    "Submissions",
    "markdown_without_html",
]
