"""nbgrader's own road to the same grades: what `nbgrader_config.py` names."""

from autograder.export import LatePolicy
from autograder.nbgrader.converters import Grade, Submissions
from autograder.nbgrader.markdown import markdown_without_html
from autograder.nbgrader.release import Release

__all__ = [
    "Grade",
    "LatePolicy",
    "Release",
    "Submissions",
    "markdown_without_html",
]
