"""Runs an assignment's checks under pytest, in this process, against one submission.

Fixtures of a check: `student`, `reference`, `agree` (asks both and compares), `draw` (inputs
from the case's own seed). The marker `item(id, public=..., hint=...)` names the item that a
check belongs to; a public one is also recorded as a case for the students' notebook.
"""

import inspect
import os
from collections.abc import Callable, Collection, Generator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

import pytest

from autograder.agree import Agree, Asked, Wrong
from autograder.course import Assignment
from autograder.draw import Draw
from autograder.result import Verdict
from autograder.secret import seed
from autograder.source import Source
from autograder.student import Student, StudentError
from autograder.weights import Weights

CHECKS = Path(__file__).with_name("checks")
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
    file = CHECKS / f"test_{assignment.id}.py"
    args = ["-c", os.devnull, "--rootdir", str(CHECKS), "--strict-markers", "--assert=plain"]
    args += ["--disable-plugin-autoload", *(f"-pno:{name}" for name in _WITHOUT), str(file)]
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
        self._student = reference
        self._reference = reference
        self._secret = secret
        self._weights = Weights(reference, secret, assignment.id)
        self._body = body
        self._reference_of = reference_of
        self._handed_in = Path()
        self._outcomes: list[CheckOutcome] = []
        self.broken: list[str] = []
        self.error: BaseException | None = None
        self.given: Any = None
        self.done = False

    def pytest_configure(self, config: pytest.Config) -> None:
        config.option.tbstyle = "no"  # nobody reads them; they would take longer than the checks
        config.addinivalue_line("markers", "item(id, public, hint): the item checked")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        def run(
            student: Student, handed_in: Path, items: Collection[str] | None = None
        ) -> list[CheckOutcome]:
            self._student, self._handed_in, self._outcomes = student, handed_in, []
            nodes = [each for each in session.items if items is None or _item(each) in items]
            for item, following in zip_longest(nodes, nodes[1:]):
                session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            return self._outcomes

        if not self.broken:
            try:
                self.given = self._body(run)
                self.done = True
            except BaseException as error:  # told by whoever opened the session, not by pytest
                self.error = error
        return True

    @pytest.fixture
    def student(self) -> Student:
        return self._student

    @pytest.fixture
    def reference(self) -> Student:
        return self._reference

    @pytest.fixture
    def reference_of(self) -> Callable[[str], Student]:
        return self._reference_of

    @pytest.fixture
    def handed_in(self) -> Path:
        return self._handed_in

    @pytest.fixture
    def draw(self, request: pytest.FixtureRequest) -> Draw:
        item = _item(request.node)
        return Draw(seed(self._secret, self._assignment.id, item, request.node.name))

    @pytest.fixture
    def agree(self, request: pytest.FixtureRequest) -> Agree:
        tolerance = self._assignment.item(_item(request.node)).tolerance
        request.node.agree = Agree(
            self._student, self._reference, tolerance, self._source.parameters, self._weights
        )
        return request.node.agree  # type: ignore[no-any-return]

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

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, Any, Any]:
        report = yield
        error = call.excinfo.value if call.excinfo else None
        if call.when == "call" or error is not None:
            self._outcomes.append(_outcome(item, error))
        return report


def _item(node: pytest.Item) -> str:
    marker = node.get_closest_marker("item")
    return str(marker.args[0]) if marker and marker.args else f"(no item: {node.name})"


def _outcome(node: Any, error: BaseException | None) -> CheckOutcome:
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
        message = f"the check {node.name} failed by itself: {type(error).__name__}: {error}"
    agree = getattr(node, "agree", None)
    asked, notes = (tuple(agree.asked), tuple(agree.notes)) if agree else ((), ())
    public = bool(marker.kwargs.get("public"))
    return CheckOutcome(_item(node), sentence, public, hint, verdict, message, asked, notes, advice)
