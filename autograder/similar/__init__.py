"""Programs of a class that share what hardly anybody else has, side by side: to be read."""

from autograder.similar.comparing import compare
from autograder.similar.page import Skipped, write_similar_page
from autograder.similar.works import Work, handed_out, read_work

__all__ = [
    "Skipped",
    "Work",
    "compare",
    "handed_out",
    "read_work",
    "write_similar_page",
]
