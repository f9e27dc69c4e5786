"""A new assignment: a tiny one that releases, verifies and proves, to be made one's own."""

from autograder.template.making import New, plan

__all__ = [
    "New",
    "plan",
]
