"""Runs an assignment's checks, as pytest collects them, in this process against one submission.

What a check may ask for: `student`, `reference`, `agree` (asks both and compares), `draw` (inputs
from the case's own seed), `handed_in`, `reference_of`. The marker `item(id, public=..., hint=...)`
names the item that a check belongs to; a public one is also recorded as a case for the students'
notebook.
"""

import inspect
import os
import traceback
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

import pytest

from autograder.asking import Student, StudentError
from autograder.checking.agree import Agree, Asked, Wrong
from autograder.checking.draw import Draw
from autograder.checking.loading import load
from autograder.checking.weights import Weights
from autograder.course import Assignment, Verdict, seed
from autograder.notebooks import Source

CHECKS = "checks.py"  # beside the source
# What a check run does not need. The collectors of unraisable exceptions alone would take 80 ms
# a run, for a full garbage collection each.
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
class CheckOutcome:
    """What one check found."""

    item: str
    sentence: str
    public: bool
    hint: str | None
    verdict: Verdict
    message: str | None
    asked: tuple[Asked, ...]
    notes: tuple[str, ...] = ()  # what it noticed and does not judge
    advice: str | None = None  # the hint, where it fits what happened


class Runner(Protocol):
    """Runs the checks on a student whose files were handed in in a folder; of `items` alone."""

    def __call__(  # noqa: D102
        self, student: Student, handed_in: Path, items: Collection[str] | None = None
    ) -> list[CheckOutcome]: ...


_T = TypeVar("_T")


def open_checks(
    assignment: Assignment,
    source: Source,
    reference: Student,
    secret: str,
    body: Callable[[Runner], _T],
    reference_of: Callable[[str], Student],
) -> _T:
    """Open a pytest session on an assignment's checks and call `body` with what runs them.

    reference_of: gives the reference of any assignment, for checks that need another one's. The
    session is opened once for any number of submissions, each of which then costs its checks
    alone. Raises ChecksBroken when pytest cannot run them all, and what `body` raises.
    """
    run = _Run(assignment, source, reference, secret, body, reference_of)
    folder = source.path.resolve().parent
    file = folder / CHECKS
    if not file.is_file():
        raise ChecksBroken(f"{file} is missing: it says what is checked in {assignment.id}")
    args = ["-c", os.devnull, "--rootdir", str(folder), "--strict-markers", "--assert=plain"]
    args += ["--noconftest", "--disable-plugin-autoload"]
    args += [*(f"-pno:{name}" for name in _WITHOUT), str(file)]
    options = os.environ.pop("PYTEST_ADDOPTS", None)  # meant for other runs
    try:
        status = pytest.main(args, plugins=[run])
    finally:
        if options is not None:
            os.environ["PYTEST_ADDOPTS"] = options
    if run.error is not None:
        raise run.error
    if run.broken or not run.done:
        raise ChecksBroken("\n".join(run.broken) or f"pytest ended with {status!r} on {file}")
    return cast(_T, run.given)


class _Run:
    """A session as a pytest plugin."""

    def __init__(
        self,
        assignment: Assignment,
        source: Source,
        reference: Student,
        secret: str,
        body: Callable[[Runner], Any],
        reference_of: Callable[[str], Student],
    ) -> None:
        self._assignment = assignment
        self._source = source
        self._reference = reference
        self._secret = secret
        self._weights = Weights(reference, secret, assignment.id)
        self._body = body
        self._reference_of = reference_of
        self.broken: list[str] = []
        self.error: BaseException | None = None
        self.given: Any = None
        self.done = False

    def pytest_configure(self, config: pytest.Config) -> None:
        config.addinivalue_line("markers", "item(id, public, hint): the item checked")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        def run(
            student: Student, handed_in: Path, items: Collection[str] | None = None
        ) -> list[CheckOutcome]:
            nodes = [each for each in session.items if items is None or _item(each) in items]
            return [self._check(each, student, handed_in) for each in nodes]

        if not self.broken:
            try:
                self.given = self._body(run)
                self.done = True
            except BaseException as error:  # told by whoever opened the session, not by pytest
                self.error = error
        return True

    def _check(self, node: Any, student: Student, handed_in: Path) -> CheckOutcome:
        # Called by hand: pytest's protocol of setup, call, teardown and three reports takes longer
        # than most checks do.
        item = _item(node)
        tolerance, parameters = self._assignment.item(item).tolerance, self._source.parameters
        agree = Agree(student, self._reference, tolerance, parameters, self._weights)
        known = {
            "student": student,
            "reference": self._reference,
            "reference_of": self._reference_of,
            "handed_in": handed_in,
            "draw": Draw(seed(self._secret, self._assignment.id, item, node.name)),
            "agree": agree,
            **(node.callspec.params if hasattr(node, "callspec") else {}),
        }
        error: BaseException | None = None
        try:
            if lost := [name for name in node.fixturenames if name not in known]:
                raise LookupError(f"it asks for {lost[0]}; there are {', '.join(known)}")
            node.function(**{name: known[name] for name in node.fixturenames})
        except (KeyboardInterrupt, pytest.exit.Exception):
            raise
        except BaseException as raised:  # an exit, too, is the check's failure
            error = raised
        return _outcome(node, error, agree)

    def pytest_pycollect_makemodule(self, module_path: Path, parent: Any) -> pytest.Module:
        return _Checks.from_parent(parent, path=module_path)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.broken.append(str(report.longrepr))

    def pytest_collection_modifyitems(self, items: Sequence[pytest.Item]) -> None:
        checked = {_item(node) for node in items}
        known = {item.id for item in self._assignment.items}
        for name in sorted(checked - known):
            self.broken.append(f"a check names the item {name!r}, which course.yml does not have")
        for name in sorted(known - checked):
            self.broken.append(f"no check looks at the item {name!r} of course.yml")


class _Checks(pytest.Module):
    """The file of checks, loaded as the course's own Python is."""

    def _getobj(self) -> Any:
        try:
            return load(self.path.parents[1], f"{self.path.parent.name}.{self.path.stem}")
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            said = f"{where.filename}:{where.lineno}: {type(error).__name__}: {error}"
            raise self.CollectError(said) from error


def _item(node: pytest.Item) -> str:
    marker = node.get_closest_marker("item")
    return str(marker.args[0]) if marker and marker.args else f"(no item: {node.name})"


def _is_checks(frame: traceback.FrameSummary) -> bool:
    return Path(frame.filename).name == CHECKS


def _outcome(node: Any, error: BaseException | None, agree: Agree) -> CheckOutcome:
    marker = node.get_closest_marker("item")
    hint = marker.kwargs.get("hint")
    sentence = inspect.getdoc(node.function) or ""
    advice: str | None = None
    if error is None:
        verdict, message = Verdict.PASSED, None
    elif isinstance(error, Wrong):
        verdict, message = Verdict.WRONG, f"{sentence}\n{error}"
        advice = None if "is there a return" in str(error) else hint
    elif isinstance(error, StudentError):
        verdict, message = error.verdict, f"{sentence}\n{error}"
        advice = hint if error.verdict is Verdict.ERROR else None
    else:
        verdict = Verdict.INTERNAL
        where = [each for each in traceback.extract_tb(error.__traceback__) if _is_checks(each)]
        line = f", {CHECKS}:{where[-1].lineno}," if where else ""
        said = f"{type(error).__name__}: {error}"
        message = f"the check {node.name}{line} failed by itself: {said}"
    asked, notes = tuple(agree.asked), tuple(agree.notes)
    public = bool(marker.kwargs.get("public"))
    return CheckOutcome(_item(node), sentence, public, hint, verdict, message, asked, notes, advice)
