"""The command line: the verbs. Only in this folder is anything printed; only here it exits.

Exit status: 0 everything was graded, 1 some submissions need staff, 2 a wrong call or manifest,
3 the machine let it down, or Ctrl-C.
"""

from autograder.cli import (
    assignment,
    authoring,
    bundle,
    collect,
    diff,
    export,
    grading,
    similar,
    verify,
)
from autograder.cli.app import app

__all__ = [
    "app",
    "assignment",
    "authoring",
    "bundle",
    "collect",
    "diff",
    "export",
    "grading",
    "similar",
    "verify",
]
