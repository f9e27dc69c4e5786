"""What is as good as right where mistakes are known: who mends one need not mend the others."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from autograder.diagnosis import Bank, Case, Component, Diagnosis, Faults, all_of, combine, same
from autograder.sandbox.session import Answer

RIGHT = 2
_TOGETHER = 3  # mistakes that are left, of those that meet


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
    left is to be right: nothing says yet that these mistakes are all that is wrong there. But where
    situations meet, several may be, of which a line mends one.
    """
    faults = tuple(dict.fromkeys(all_of(each.certain for each in known.values())))
    whole = {item for item, each in known.items() if item in left and not each.partly}
    cases = [*bank.cases]
    several = {item for item, each in known.items() if len(each.all_faults) > 1}
    meet = {at for at in wrong if cases[at].crowded and cases[at].item in several}
    may_be = {at for at in wrong if cases[at].item not in whole} | meet
    for component in bank.components:
        choices = _choices(component, faults)
        some = [x for few in _some_of(faults) for x in _choices(component, few)]
        for at in may_be.intersection(bank.all_of(component)) if choices else ():
            these = dict.fromkeys(some if at in meet else choices)
            answers = tuple(bank.answer(component, each, at) for each in these)
            cases[at] = replace(cases[at], known=answers)
    return cases


def _some_of(faults: Faults) -> Iterator[Faults]:
    sizes = range(1, min(len(faults), _TOGETHER) + 1)
    return (few for size in sizes for few in combinations(faults, size))


def _choices(component: Component, faults: Faults) -> Sequence[Faults]:
    """Its own, and with these those of other parts: they may be at work in it, or not."""
    own = tuple(each for each in faults if each in component.faults)
    return [each for each in dict.fromkeys((own, faults)) if own and combine(each)]
