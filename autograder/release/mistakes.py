"""What the known mistakes give in the public cases of an item, as prints that tell no numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

from autograder.checking import Asked
from autograder.course import Item
from autograder.diagnosis import Case, Fault, apart, cannot_be_loaded, of_name
from autograder.grading import Exam
from autograder.handout.checks.compare import called_names
from autograder.handout.checks.prints import Print, print_of
from autograder.handout.checks.problem import Problem
from autograder.handout.checks.raised import known
from autograder.handout.checks.recorded import Came, problem_of
from autograder.sandbox.session import Answer

_WRONG = Problem("it raises")  # what is said of it is the student's own


def mistakes_of(
    exam: Exam, item: Item, public: Sequence[Asked], recorded: Sequence[Mapping[str, Any]]
) -> dict[Fault, list[Print | None]]:
    """The single faults that the public cases of an item show, and the print of each in each case.

    None where a fault leaves the answer right. Left out is what rounding might show or hide, and
    so would be another fault on another machine.
    """
    cases = [Case(item.id, each.question, each.answer, item.tolerance, each) for each in public]
    components = [of_name(exam.bank.components, each.question.name) for each in cases]
    found = {}
    for component in filter(None, dict.fromkeys(components)):
        for fault in component.faults:
            if fault.shows and item.id not in fault.shows:
                continue
            prints = [
                _print(exam.bank.ask_fault(component, (fault,), case), case, about)
                if of is component
                else None
                for of, case, about in zip(components, cases, recorded, strict=True)
            ]
            if any(prints) and {} not in prints:
                found[fault] = prints
    return found


def _print(answer: Answer, case: Case, recorded: Mapping[str, Any]) -> Print | None:
    """The print of an answer that is wrong; none, {}, of one that is hardly wrong."""
    came = _came(answer, case, recorded)
    if problem_of(dict(recorded), came, case.tolerance) is None:
        return None
    raises = answer.failure is not None or recorded["kind"] == "raises"
    return print_of(recorded, came) if raises or apart(answer, case, loosely=True) else {}


def _came(answer: Answer, case: Case, recorded: Mapping[str, Any]) -> Came:
    """An answer as if the notebook had given it."""
    failure = answer.failure
    if cannot_be_loaded(answer):
        return Came(shapes=_shapes(answer.value), refused=_WRONG)
    if recorded["kind"] == "raises":
        return _raised(answer, case)
    if failure is not None:
        return Came(error=_known(answer), refused=_WRONG)
    if recorded["kind"] == "parameters":
        return Came(value=answer.value, shapes=_shapes(answer.value))
    names = called_names(recorded["parameters"], recorded["kwargs"])
    lost = bool(answer.gradients) and all(each is None for each in answer.gradients)
    return Came(
        value=answer.value,
        read=answer.read,
        gradients=None if lost else answer.gradients,
        changed=[names[at] for at in answer.changed if 0 <= at < len(names)],
        mode_changed=answer.mode_changed,
    )


def _raised(answer: Answer, case: Case) -> Came:
    """Where an exception is asked for: of what type, and naming what."""
    failure, asked = answer.failure, case.asked
    assert asked is not None
    if failure is None:
        return Came(refused=_WRONG)
    named = all(str(each) in failure.message for each in asked.naming)
    right = failure.type == asked.error and named
    return Came(error=_known(answer), refused=None if right else _WRONG)


def _known(answer: Answer) -> tuple[str, str]:
    failure = answer.failure
    assert failure is not None
    own = failure.is_on_purpose
    return known(failure.type, failure.message, own)


def _shapes(value: Any) -> dict[str, tuple[int, ...]]:
    parts = dict(value).items()
    return {name: tuple(each.shape if hasattr(each, "shape") else each) for name, each in parts}
