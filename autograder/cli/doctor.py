"""What this machine offers for grading, and what to do about what is missing."""

import importlib.metadata
import os
import platform
import shutil
import sys
from dataclasses import dataclass

import torch

from autograder.grading import default_jobs
from autograder.sandbox import landlock
from autograder.sandbox.causes import without_landlock
from autograder.sandbox.walls import STANDING, why_not


@dataclass(frozen=True)
class Finding:
    """One fact about the machine. `advice`: what to do, when it is not as it should be."""

    what: str
    found: str
    advice: str | None = None


def examine() -> list[Finding]:
    """Look at everything that grading needs."""
    return [
        Finding("system", f"{platform.system()} {platform.release()} on {platform.machine()}"),
        Finding("Python", platform.python_version()),
        Finding("torch", str(torch.__version__)),
        _nbgrader(),
        Finding("cores", str(default_jobs())),
        _memory(),
        Finding("Landlock", *_landlock()),
        *map(_wall, STANDING),
    ]


def can_grade(findings: list[Finding]) -> bool:
    """Whether there are walls to grade behind: one kind is enough."""
    return any(f.what in STANDING and f.advice is None for f in findings)


def _nbgrader() -> Finding:
    found = importlib.metadata.version("nbgrader")
    if shutil.which("nbgrader") is None:
        return Finding("nbgrader", found, "its command is not on PATH: activate the environment")
    return Finding("nbgrader", found)


def _memory() -> Finding:
    if not hasattr(os, "sysconf") or "SC_PHYS_PAGES" not in os.sysconf_names:
        return Finding("memory", "unknown")
    mib = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
    need = 1500 * default_jobs()
    advice = f"{default_jobs()} workers want about {need:,} MiB: grade with --jobs 1"
    return Finding("memory", f"{mib:,} MiB", advice if mib < need else None)


def _landlock() -> tuple[str, str | None]:
    if sys.platform != "linux":
        return "none", None
    try:
        return f"version {landlock.version()}", None
    except OSError as error:
        return "none", without_landlock(error)


def _wall(name: str) -> Finding:
    reason = why_not(name)
    return Finding(name, "ready" if reason is None else "not available", reason)
