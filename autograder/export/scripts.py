"""Programs that nbgrader runs by name, where no environment has been activated."""

import os
import shutil
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def scripts_on_path(command: str) -> Iterator[None]:
    """Let `command` be found beside this interpreter when PATH does not have it."""
    before = os.environ.get("PATH", os.defpath)
    if shutil.which(command) is None:
        os.environ["PATH"] = before + os.pathsep + sysconfig.get_path("scripts")
    try:
        yield
    finally:
        os.environ["PATH"] = before
