"""Faults that fail by a slip of their author's: a name that is not there fails every check."""

from collections.abc import Iterator, Mapping

from autograder.course import Result
from autograder.diagnosis import FAULTS, Bank, Component, Faults
from autograder.sandbox.failure import Failure

__all__ = ["slips"]

_SLIPS = ("NameError", "ImportError", "ModuleNotFoundError")


def slips(
    bank: Bank, tried: Mapping[str, tuple[Component, Faults]], results: Mapping[str, Result]
) -> list[str]:
    """Where a component's own file uses what is not there, a sentence for each line.

    tried: components with a fault or none, by name; results: what each got, by name, too. A
    mistake that is about such an error raises it in so many words.
    """
    found: dict[tuple[str | None, int | None], str] = {}
    for name, (component, faults) in tried.items():
        told = "\n".join(each.message or "" for each in results[name].items)
        # A question to each takes a minute of the larger assignments.
        is_suspect = any(slip in told for slip in _SLIPS)
        for failure in _failures(bank, component, faults) if is_suspect else ():
            said = f"{name} fails by itself, not by its mistake: {failure.type}: {failure.message}"
            at = failure.cell, failure.line
            found.setdefault(at, f"{failure.cell}:{failure.line}: {said}")
    return list(found.values())


def _failures(bank: Bank, component: Component, faults: Faults) -> Iterator[Failure]:
    for place in bank.cases_of(component):
        failure = bank.ask_fault(component, faults, bank.cases[place]).failure
        if (
            failure is not None
            and failure.type in _SLIPS
            and failure.cell == f"{FAULTS}/{component.name}.py"
            and not (failure.source or "").startswith("raise ")
        ):
            yield failure
