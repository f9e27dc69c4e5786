"""Runs an assignment's checks, in this process, against one submission.

What a check may ask for: `student`, `reference`, `agree` (asks both and compares), `draw` (inputs
from the case's own seed), `handed_in`, `reference_of`. The marker `item(id, public=..., hint=...,
fits=...)` names the item that a check belongs to; a public one is also recorded as a case for the
students' notebook. A hint fits what its check says in words of its own, and the kinds of mistakes
that `fits` names: values and gradients, if it is left out. `notebook="module.function"` names what
the notebook asks in the place of recorded cases, in a file that is handed out: it gets the names of
the notebook, and returns what is right and what is wrong, a sentence each, one of them None.
`crowded=True`: several situations meet in what it asks, so that no mistake is read from it.
"""

import contextlib
import traceback
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.asking import RemoteStudent, Student, StudentError, TookTooLong
from autograder.checking.agree import Agree
from autograder.checking.asked import Asked
from autograder.checking.collect import CHECKS, Check
from autograder.checking.draw import Draw
from autograder.checking.heard import Heard
from autograder.checking.passed import Passed
from autograder.checking.weights import Weights
from autograder.checking.wrong import Wrong
from autograder.course import Assignment, Verdict, seed
from autograder.handout.checks.problem import kind_of_error
from autograder.notebooks import Source
from autograder.sandbox.failure import Failure
from autograder.sandbox.host import ServerFailed


@dataclass(frozen=True)
class CheckOutcome:
    """What one check found."""

    item: str
    sentence: str
    public: bool
    hint: str | None
    fits: tuple[str, ...]
    verdict: Verdict
    message: str | None
    asked: tuple[Asked, ...]
    notes: tuple[str, ...] = ()  # what it noticed and does not judge
    advice: str | None = None  # the hint, where it fits what happened
    failure: Failure | None = None  # what ended it, or what should be raised in other words
    loop: Failure | None = None  # in which its time was over
    notebook: str | None = None  # what the notebook asks in the place of recorded cases
    calls: int = 0  # that it made


class Runner:
    """Runs checks against any number of submissions.

    reference_of: gives the reference of any assignment, for checks that need another one's.
    """

    def __init__(
        self,
        checks: Sequence[Check],
        assignment: Assignment,
        source: Source,
        reference: Student,
        secret: str,
        reference_of: Callable[[str], Student],
    ) -> None:
        self._checks = checks
        self._assignment = assignment
        self._source = source
        self._reference = reference
        self._secret = secret
        self._weights = Weights(reference, secret, assignment.id)
        self._reference_of = reference_of
        alike = (each for each in checks if "handed_in" not in each.wants)
        self._passed = {(each.item, each.name): Passed() for each in alike}

    def __call__(
        self, student: Student, handed_in: Path, items: Collection[str] | None = None
    ) -> list[CheckOutcome]:
        """What they find, those of `items` alone; handed_in: where the student's files lie."""
        chosen = [each for each in self._checks if items is None or each.item in items]
        return [self._outcome(each, student, handed_in) for each in chosen]

    def _outcome(self, check: Check, student: Student, handed_in: Path) -> CheckOutcome:
        passed = self._passed.get((check.item, check.name))
        if passed is None or not isinstance(student, RemoteStudent):
            return self._run(check, student, handed_in)
        if (known := passed.by(student)) is not None:
            return known
        student.verbatim.listen()
        outcome = self._run(check, student, handed_in)
        noted = student.verbatim.noted()
        if noted and outcome.verdict is Verdict.PASSED:
            passed.keep(*noted, outcome)
        return outcome

    def _run(self, check: Check, student: Student, handed_in: Path) -> CheckOutcome:
        tolerance = self._assignment.item(check.item).tolerance
        heard = Heard(student)
        agree = Agree(heard, self._reference, tolerance, self._source.parameters, self._weights)
        known = {
            "student": heard,
            "reference": self._reference,
            "reference_of": self._reference_of,
            "handed_in": handed_in,
            "draw": Draw(seed(self._secret, self._assignment.id, check.item, check.name)),
            "agree": agree,
            **check.parameters,
        }
        error: BaseException | None = None
        try:
            if lost := [name for name in check.wants if name not in known]:
                raise LookupError(f"it asks for {lost[0]}; there are {', '.join(known)}")
            check.function(**{name: known[name] for name in check.wants})
        except (KeyboardInterrupt, ServerFailed):
            raise
        except BaseException as raised:  # an exit, too, is the check's failure
            error = raised
            if not isinstance(raised, (Wrong, StudentError)):
                with contextlib.suppress(Exception):  # of this check alone
                    if odd := heard.odd(self._reference):
                        error = Wrong(odd)  # of which no check can make anything
        return _outcome(check, error, agree, heard.calls)


def _is_checks(frame: traceback.FrameSummary) -> bool:
    return Path(frame.filename).name == CHECKS


def _outcome(check: Check, error: BaseException | None, agree: Agree, calls: int) -> CheckOutcome:
    hint_fits = False
    if error is None:
        verdict, message = Verdict.PASSED, None
    elif isinstance(error, Wrong):
        verdict, message = Verdict.WRONG, f"{check.sentence}\n{error}"
        hint_fits = error.kind is None or error.kind in check.fits
    elif isinstance(error, StudentError):
        verdict, message = error.verdict, f"{check.sentence}\n{error}"
        if error.failure is not None:
            kind = kind_of_error(error.failure.type, error.failure.message)
            hint_fits = kind in check.fits
    else:
        verdict = Verdict.INTERNAL
        where = [each for each in traceback.extract_tb(error.__traceback__) if _is_checks(each)]
        line = where[-1].lineno if where else check.line
        said = f"{type(error).__name__}: {error}"
        message = f"the check {check.name}, {CHECKS}:{line}, failed by itself: {said}"
    asked, notes = tuple(agree.asked), tuple(agree.notes)
    about = check.item, check.sentence, check.public, check.hint, check.fits
    advice = check.hint if hint_fits else None
    failure = error.failure if isinstance(error, (StudentError, Wrong)) else None
    loop = error.loop if isinstance(error, TookTooLong) else None
    so = verdict, message, asked, notes
    return CheckOutcome(*about, *so, advice, failure, loop, check.notebook, calls)
