"""The command line: the verbs. Only in this folder is anything printed; only here it exits.

Exit status: 0 everything was graded, 1 some submissions need staff, 2 a wrong call or manifest,
3 the machine let it down, or Ctrl-C.
"""

import gc
import sys

gc.disable()  # nothing of what is imported is garbage, and to look for some takes half a second

try:
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
except KeyboardInterrupt:  # while torch is imported, which takes seconds
    print("stopped: by Ctrl-C; run the same command again", file=sys.stderr)
    sys.exit(3)

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
