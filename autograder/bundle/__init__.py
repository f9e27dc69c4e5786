"""Files that leave the house whole: zips for students, and a grader for Gradescope."""

from autograder.bundle.gradescope import gradescope
from autograder.bundle.hand_in import hand_in
from autograder.bundle.students import BundleError, bundles

__all__ = ["BundleError", "bundles", "gradescope", "hand_in"]
