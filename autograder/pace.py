"""How long a diagnosis takes: the bank asked for the first time, nothing remembered."""

import time
from dataclasses import dataclass

from autograder.bank import Component, Faults
from autograder.diagnosis import Bank
from autograder.grading import Exam

_EACH = 3  # of single faults, and of pairs, of each component


@dataclass(frozen=True)
class Pace:
    """Milliseconds for each item that was explained, the most that any submission took."""

    single: float
    pair: float


def pace(exam: Exam) -> Pace:
    """Measure the diagnosis of some single faults and pairs of every component."""
    singles, pairs = [0.0], [0.0]
    for component in exam.bank.components:
        singles += [_took(exam, component, (each,)) for each in _some(component.faults)]
        pairs += [_took(exam, component, each) for each in _some(component.pairs)]
    return Pace(max(singles), max(pairs))


def _some(choices: tuple) -> tuple:  # type: ignore[type-arg]
    """A few from all over; the last ones are looked for longest."""
    return tuple(dict.fromkeys((*choices[:: max(1, len(choices) // _EACH)], *choices[-1:])))


def _took(exam: Exam, component: Component, faults: Faults) -> float:
    known = exam.bank
    answers = {place: known.answer(component, faults, place) for place in known.cases_of(component)}
    items = {known.cases[place].item for place in answers}
    bank = Bank(known.components, known.cases)
    started = time.perf_counter()
    found = bank.diagnose(answers, items)
    return (time.perf_counter() - started) * 1e3 / max(1, len(found))
