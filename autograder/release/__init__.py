"""What students get, made of the source; and that it gives nothing away."""

from autograder.release.builder import (
    Built,
    ReleaseError,
    build,
    notebook_of,
)
from autograder.release.needs import for_course
from autograder.release.story import without_facts

__all__ = [
    "Built",
    "ReleaseError",
    "build",
    "for_course",
    "notebook_of",
    "without_facts",
]
