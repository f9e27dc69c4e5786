"""The checks of a release as a student imports them, and a notebook that answers them."""

import importlib
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

from autograder.notebooks.source import read_source

ROOT = Path(__file__).resolve().parents[1]
_BESIDE = "checks", "given", "counted"  # what another assignment has under the same name


def _forget() -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] in _BESIDE]:
        del sys.modules[name]


@contextmanager
def checks_in(folder: Path) -> Iterator[ModuleType]:
    """The checks beside a notebook in this folder."""
    _forget()
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield importlib.import_module("checks")
    _forget()


class Shell:
    """What the checks see of Jupyter."""

    def __init__(self) -> None:
        self.display_pub = self
        self.compile = self
        self.texts: list[str] = []
        self.pages: list[str] = []

    def publish(self, data: dict[str, str]) -> None:
        self.texts.append(data["text/plain"])
        self.pages.append(data["text/html"])

    def format_code_name(self, name: str) -> tuple[str, str] | None:
        return ("Cell", "In[7]") if name == "<my cell>" else None


def shell_of(monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A Jupyter in which the checks run from now on."""
    found = Shell()
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: found  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    return found


def notebook_of(assignment: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The names of a notebook that answers as the reference of an assignment does."""
    main = types.ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", main)
    for cell in read_source(ROOT / "solutions" / assignment / f"{assignment}.py").reference:
        exec(cell.source, main.__dict__)
    return main
