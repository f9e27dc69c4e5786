"""The checks without pytest, walls or gradebook: called one after the other in this process.

It is what the benchmark holds the grader against; stock nbgrader runs it in its kernel.
"""

import inspect
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from autograder.asking.student import Question, Student
from autograder.checking import load
from autograder.checking.agree import Agree
from autograder.checking.draw import Draw
from autograder.checking.weights import Weights
from autograder.course.secret import seed
from autograder.sandbox.session import Session

ROOT = Path(__file__).resolve().parents[1]


def cases(
    assignment: str, item: str | None = None
) -> Iterator[tuple[str, str, Any, dict[str, Any]]]:
    """Every check as pytest would call it, and in its order: item, case, function, parameters."""
    checks = load(ROOT / "solutions", f"{assignment}.checks")
    for name, function in vars(checks).items():
        marks = {mark.name: mark for mark in getattr(function, "pytestmark", ())}
        if "item" not in marks or item not in (None, marks["item"].args[0]):
            continue
        if "parametrize" not in marks:
            yield marks["item"].args[0], name, function, {}
            continue
        parameter, values = marks["parametrize"].args
        ids = marks["parametrize"].kwargs.get("ids", str)
        for number, value in enumerate(values):
            said = ids[number] if isinstance(ids, list) else ids(value)
            names = parameter.split(",") if isinstance(parameter, str) else parameter
            names = [each.strip() for each in names]
            given = dict(zip(names, value if len(names) > 1 else [value], strict=True))
            yield marks["item"].args[0], f"{name}[{said}]", function, given


def run(
    assignment: str,
    student: Student,
    reference: Student,
    tolerances: Mapping[str, float],
    parameters: Mapping[str, list[str]],
    secret: str,
    item: str | None = None,
) -> int:
    """Call the checks; the first that fails raises. Returns how many there were."""
    count, weights = 0, Weights(reference, secret, assignment)
    for belongs_to, name, function, given in cases(assignment, item):
        fixtures = {
            "student": student,
            "reference": reference,
            "draw": Draw(seed(secret, assignment, belongs_to, name)),
            "agree": Agree(student, reference, tolerances[belongs_to], parameters, weights),
            **given,
        }
        function(**{name: fixtures[name] for name in inspect.signature(function).parameters})
        count += 1
    return count


class Names:
    """A notebook's names, as a kernel has them, in the form of a student."""

    def __init__(self, names: dict[str, Any]) -> None:
        self._session = Session()
        self._session._module.__dict__.update(names)

    def get(self, name: str) -> Any:
        return self._session.get(name).value

    def call(self, target: Any, *args: Any, **options: Any) -> Any:
        question = Question.of(target, args, options)
        answer = self._session.call(target, question.args, question.kwargs, question.how)
        assert answer.failure is None, answer.failure
        return answer
