"""Files that leave the house whole: zips for students, and a grader for Gradescope."""

from autograder.bundle.students import BundleError, bundles

__all__ = ["BundleError", "bundles"]
