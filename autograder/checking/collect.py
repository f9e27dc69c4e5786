"""An assignment's checks, as pytest collects them from `checks.py`.

pytest does what it does best: it finds the functions, takes their parameters apart, and says what
is wrong with the file. They are then called by hand (see runner.py): its protocol of setup, call,
teardown and three reports takes longer than most checks do.
"""

import ast
import inspect
import os
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from autograder.checking.loading import load
from autograder.course import Assignment, UnknownIdError, text_of
from autograder.handout.checks.problem import FITS, KINDS
from autograder.notebooks import Source

CHECKS = "checks.py"  # beside the source
_OPTIONS = ("public", "hint", "fits", "notebook", "crowded")  # of a check's mark
# What collecting does not need.
_WITHOUT = (
    "cacheprovider",
    "capture",
    "debugging",
    "doctest",
    "faulthandler",
    "junitxml",
    "logging",
    "pastebin",
    "setuponly",
    "setupplan",
    "stepwise",
    "terminal",
    "threadexception",
    "unittest",
    "unraisableexception",
    "warnings",
)


class ChecksBroken(Exception):
    """The checks themselves cannot be run: a fault of the course's."""


@dataclass(frozen=True)
class Check:
    """One check: a function, with one choice of its parameters.

    name: the function's, with the parameters' ids; wants: what the function asks for by name;
    parameters: those of it that pytest's `parametrize` gives.
    """

    item: str
    name: str
    function: Callable[..., object]
    wants: tuple[str, ...]
    parameters: Mapping[str, Any]
    public: bool
    hint: str | None
    fits: tuple[str, ...]  # the kinds of mistakes that the hint is about
    notebook: str | None = None  # what the notebook asks: module.function of a file handed out
    crowded: bool = False  # several situations meet in it: a diagnosis looks elsewhere first

    @property
    def line(self) -> int:
        """Of the file, on which its marks begin."""
        code: CodeType = inspect.unwrap(self.function).__code__
        return code.co_firstlineno

    @property
    def sentence(self) -> str:
        """What it looks at, in words for the student."""
        return inspect.getdoc(self.function) or ""


def collect(assignment: Assignment, source: Source) -> tuple[Check, ...]:
    """The checks of an assignment, item by item, and in the order of their file.

    So are they rehearsed: what is asked in another order was not foreseen. Where situations meet,
    others of the item come first, which say more plainly what is wrong. Raises ChecksBroken.
    """
    folder = source.path.resolve().parent
    file = folder / CHECKS
    if not file.is_file():
        raise ChecksBroken(f"{file} is missing: it says what is checked in {assignment.id}")
    collecting = _Collecting(assignment)
    args = ["-c", os.devnull, "--rootdir", str(folder), "--strict-markers", "--assert=plain"]
    args += ["--noconftest", "--disable-plugin-autoload"]
    args += [*(f"-pno:{name}" for name in _WITHOUT), str(file)]
    options = os.environ.pop("PYTEST_ADDOPTS", None)  # meant for other runs
    try:
        status = pytest.main(args, plugins=[collecting])
    finally:
        if options is not None:
            os.environ["PYTEST_ADDOPTS"] = options
    if collecting.broken or not collecting.checks:
        why = "\n".join(collecting.broken)
        raise ChecksBroken(why or f"pytest ended with {status!r} on {file}")
    order = [each.id for each in assignment.items]
    return tuple(sorted(collecting.checks, key=lambda x: (order.index(x.item), x.crowded)))


class _Collecting:
    """Takes the checks from a session of pytest, as a plugin, and lets it run nothing."""

    def __init__(self, assignment: Assignment) -> None:
        self._assignment = assignment
        self.broken: list[str] = []
        self.checks: tuple[Check, ...] = ()

    def pytest_configure(self, config: pytest.Config) -> None:
        config.addinivalue_line("markers", "item(id, public, hint, fits): the item checked")

    def pytest_pycollect_makemodule(self, module_path: Any, parent: Any) -> pytest.Module:
        return _Checks.from_parent(parent, path=module_path)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.broken.append(str(report.longrepr))

    def pytest_collection_modifyitems(self, items: Sequence[pytest.Item]) -> None:
        if self.broken:
            return
        self.checks = tuple(map(_check, items))
        for node, check in zip(items, self.checks, strict=True):
            where = f"{node.path}:{check.line}: {check.name}"
            self.broken += [f"{where}: {said}" for said in self._slips(node, check)]
        checked = {each.item for each in self.checks}
        for item in self._assignment.items:
            if item.id not in checked:
                said = f'let one have @item("{item.id}")'
                self.broken.append(f"no check looks at the item {item.id!r} of course.yml: {said}")

    def _slips(self, node: Any, check: Check) -> Iterator[str]:
        """What is wrong with the mark of a check."""
        marker = node.get_closest_marker("item")
        if marker is None or not marker.args:
            yield 'it names no item: put @item("NAME") above it'
            return
        try:
            self._assignment.item(check.item)
        except UnknownIdError as error:
            yield str(error)
        for name in marker.kwargs:
            if name not in _OPTIONS:
                yield f"@item takes {', '.join(_OPTIONS)}, not {name!r}"
        for kind in set(check.fits) - set(KINDS):
            yield f"a hint fits one of {', '.join(KINDS)}, not {kind!r}"

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        return True


class _Checks(pytest.Module):
    """The file of checks, loaded as the course's own Python is."""

    def _getobj(self) -> Any:
        if slip := _slip(self.path):
            raise self.CollectError(slip)
        try:
            return load(self.path.parents[1], f"{self.path.parent.name}.{self.path.stem}")
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            said = f"{where.filename}:{where.lineno}: {type(error).__name__}: {error}"
            raise self.CollectError(said) from error


def _slip(path: Path) -> str | None:
    """What is wrong with it as it reads: no Python, or a function in another's place."""
    try:
        body = ast.parse(text_of(path)).body
    except SyntaxError as error:
        return f"{path}:{error.lineno}: SyntaxError: {error.msg}"
    except ValueError as error:  # no text
        return str(error)
    lines: dict[str, int] = {}
    for each in body:
        if isinstance(each, ast.FunctionDef):
            first = lines.setdefault(each.name, each.lineno)
            if first != each.lineno:
                said = f"{each.name} takes the place of that of line {first}"
                return f"{path}:{each.lineno}: {said}: give one of them another name"
    return None


def _check(node: Any) -> Check:
    marker = node.get_closest_marker("item")
    options = marker.kwargs if marker is not None else {}
    fits = options.get("fits", FITS)
    return Check(
        item=str(marker.args[0]) if marker is not None and marker.args else "",
        name=node.name,
        function=node.function,
        wants=tuple(node.fixturenames),
        parameters=dict(node.callspec.params) if hasattr(node, "callspec") else {},
        public=bool(options.get("public")),
        hint=options.get("hint"),
        fits=(fits,) if isinstance(fits, str) else tuple(fits),
        notebook=options.get("notebook"),
        crowded=bool(options.get("crowded")),
    )
