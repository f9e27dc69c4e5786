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


def notebook_of(assignment: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The names of a notebook that answers as the reference of an assignment does."""
    main = types.ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", main)
    for cell in read_source(ROOT / "solutions" / assignment / f"{assignment}.py").reference:
        exec(cell.source, main.__dict__)
    return main
