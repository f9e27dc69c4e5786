"""The command line: the verbs. Only in this folder is anything printed; only here it exits.

Exit status: 0 everything was graded, 1 some submissions need staff, 2 a wrong call or manifest,
3 the machine let it down, or Ctrl-C.
"""

import gc

gc.disable()  # nothing of what is imported is garbage, and to look for some takes half a second

from autograder.cli import (  # noqa: E402 (see above)
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
from autograder.cli.app import app  # noqa: E402

gc.freeze()  # nor will it be
gc.enable()

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
