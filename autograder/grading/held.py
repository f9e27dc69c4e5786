"""One grader at a time on a class: whoever comes second is told who was first, and since when.

The kernel lets go of the lock when its owner dies, so what a broken run left never blocks.
"""

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from autograder.course import state_folder

_FILE = "lock"


class BeingGraded(Exception):
    """Somebody else grades this class right now; the message says who and since when."""


@contextmanager
def held(results: Path, assignment_id: str) -> Iterator[None]:
    """Be the only one who writes an assignment's results.

    Raises BeingGraded at once when somebody else is, and OSError where nothing can be written.
    """
    folders = (results / assignment_id, state_folder(results, assignment_id))
    folders[1].mkdir(parents=True, exist_ok=True)
    # Of a process, not of a file that forks share: no worker outlives it with the lock.
    with open(folders[1] / _FILE, "a+", encoding="utf-8") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            file.seek(0)
            who = file.read(1000).strip() or "somebody else"
            raise BeingGraded(
                f"{assignment_id} is being graded already, by {who}; run it again when that is done"
            ) from None
        file.truncate(0)
        now = datetime.now().astimezone()
        file.write(f"process {os.getpid()} on {socket.gethostname()} since {now:%Y-%m-%d %H:%M:%S}")
        file.flush()
        for draft in [each for folder in folders for each in folder.rglob(".*.draft")]:
            draft.unlink(missing_ok=True)  # of a run that was killed
        try:
            yield
        finally:
            file.truncate(0)
