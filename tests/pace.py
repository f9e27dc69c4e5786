"""How long a diagnosis takes, apart from the checks: with nothing remembered, and once it is."""

import gc
import statistics
import time
from pathlib import Path

import torch

from autograder.course.manifest import read_course
from autograder.diagnosis.bank import Bank
from autograder.diagnosis.components import Component
from autograder.diagnosis.fault import Faults
from autograder.diagnosis.search import diagnose
from autograder.grading import prepare

ROOT = Path(__file__).resolve().parents[1]
EACH = 12  # of the pairs of each component


def took(known: Bank, component: Component, faults: Faults) -> tuple[float, float]:
    """Milliseconds for each item that is explained: the first time, and the second."""
    answers = {place: known.answer(component, faults, place) for place in known.cases_of(component)}
    items = {known.cases[place].item for place in answers}
    bank = Bank(known.components, known.cases)
    milliseconds = []
    for _ in range(2):
        started = time.perf_counter()
        found = diagnose(bank, answers, items)
        milliseconds.append((time.perf_counter() - started) * 1e3 / max(1, len(found)))
    first, second = milliseconds
    return first, second


def pace(assignment_id: str, secret: str) -> None:
    """Print the cost of diagnosing every single fault, and some pairs of every component."""
    torch.set_num_threads(1)  # as a worker has
    known = prepare(read_course(ROOT), assignment_id, secret).bank
    gc.freeze()
    kinds = {
        "single faults": lambda component: tuple((each,) for each in component.faults),
        "pairs": lambda component: component.pairs[:: max(1, len(component.pairs) // EACH)],
    }
    for kind, choices in kinds.items():
        chosen = [(each, faults) for each in known.components for faults in choices(each)]
        times = [took(known, *each) for each in chosen]
        said = (
            f"{when} {statistics.median(each):.0f} ms, at most {max(each):.0f}"
            for when, each in zip(("first", "again"), zip(*times, strict=True), strict=True)
        )
        print(f"{assignment_id}: diagnosis of {len(times)} {kind}, an item: {'; '.join(said)}")
    gc.unfreeze()  # the next assignment needs none of this


if __name__ == "__main__":
    for each in read_course(ROOT).assignments:
        pace(each.id, "a secret for the benchmark")
