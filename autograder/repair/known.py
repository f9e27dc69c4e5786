"""What is as good as right where mistakes are known: who mends one need not mend the others."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from autograder.diagnosis import Bank, Case, Component, Diagnosis, Faults, all_of, combine, same
from autograder.sandbox.session import Answer

RIGHT = 2


def fits(answer: Answer, case: Case) -> int:
    """RIGHT where an answer is right; 1 where it is but for mistakes that are known; else 0."""
    if same(answer, case.right, case):
        return RIGHT
    return int(any(same(answer, each, case) for each in case.known))


def with_known(
    bank: Bank, known: Mapping[str, Diagnosis], wrong: Collection[int], left: Collection[str]
) -> list[Case]:
    """All cases; those at places that are wrong with what known mistakes make of them.

    known: what explains items; left: those whose mistakes are looked for. One that is explained and
    left is to be right: nothing says yet that these mistakes are all that is wrong there.
    """
    faults = tuple(dict.fromkeys(all_of(each.certain for each in known.values())))
    whole = {item for item, each in known.items() if item in left and not each.partly}
    may_be = {at for at in wrong if bank.cases[at].item not in whole}
    cases = [*bank.cases]
    for component in bank.components:
        choices = _choices(component, faults)
        for at in may_be.intersection(bank.cases_of(component)) if choices else ():
            answers = tuple(bank.answer(component, each, at) for each in choices)
            cases[at] = replace(cases[at], known=answers)
    return cases


def _choices(component: Component, faults: Faults) -> Sequence[Faults]:
    """Its own, and with these those of other parts: they may be at work in it, or not."""
    own = tuple(each for each in faults if each in component.faults)
    return [each for each in dict.fromkeys((own, faults)) if own and combine(each)]
