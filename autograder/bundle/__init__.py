"""Files that leave the house whole: zips for students, a grader for Gradescope; what changed."""

from autograder.bundle.changes import Change, cannot_say, changes
from autograder.bundle.gradescope import gradescope
from autograder.bundle.hand_in import hand_in
from autograder.bundle.students import BundleError, bundles
from autograder.bundle.versions import NoVersion, read_version, uncommitted

__all__ = [
    "BundleError",
    "Change",
    "NoVersion",
    "bundles",
    "cannot_say",
    "changes",
    "gradescope",
    "hand_in",
    "read_version",
    "uncommitted",
]
