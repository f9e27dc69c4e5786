"""nbgrader's own road to the same grades: what `nbgrader_config.py` names."""

from autograder.nbgrader.converters import (
    Grade,
    Submissions,
)
from autograder.nbgrader.rebuilt import markdown_without_html

__all__ = [
    "Grade",
    "Submissions",
    "markdown_without_html",
]
