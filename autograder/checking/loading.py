"""The course's own Python beside its notebooks: checks, and what these import.

`solutions/` is a package to it. A check imports a file of its own assignment with
`from .words import ...`, and one that assignments share with `from ..inputs import ...`. What has
changed since it was loaded is loaded again, and two courses never see each other's.
"""

import hashlib
import importlib
import sys
from pathlib import Path
from types import ModuleType


def load(solutions: Path, name: str) -> ModuleType:
    """The module `name` of a course, such as `squares.checks`; raises what running it raises."""
    solutions = solutions.resolve()
    folders = solutions, solutions / name.partition(".")[0]
    files = [path for folder in folders for path in sorted(folder.glob("*.py"))]
    content = hashlib.sha256()
    for path in files:
        content.update(f"{path}\0".encode() + path.read_bytes() + b"\0")
    package = f"course_{content.hexdigest()[:16]}"
    if package not in sys.modules:
        made = ModuleType(package)
        made.__path__ = [str(solutions)]
        sys.modules[package] = made
    return importlib.import_module(f"{package}.{name}")
