"""When a student's repository was last committed to, as its commit says."""

import os
import re
import subprocess
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

__all__ = ["committed_at"]

_SECONDS = 10


def committed_at(repository: Path) -> datetime | None:
    """The time of the last commit, in UTC; None where there is no git, or no commit.

    Nothing of the repository's own settings may start a program or reach the network.
    """
    folder = repository / ".git"
    if not folder.is_dir() or folder.is_symlink():
        return None
    command = ("git", "--no-pager", "-c", "core.fsmonitor=false")
    asked = (*command, f"--git-dir={folder}", "cat-file", "commit", "HEAD")
    plain = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_ALLOW_PROTOCOL": ""}
    with suppress(OSError, subprocess.SubprocessError, ValueError, OverflowError):
        about = {"PATH": os.environ.get("PATH", os.defpath)} | plain
        done = subprocess.run(asked, env=about, capture_output=True, timeout=_SECONDS, check=True)
        if found := re.search(rb"^committer .*> (\d+) [-+]\d{4}$", done.stdout, re.MULTILINE):
            return datetime.fromtimestamp(int(found[1]), UTC)
    return None
