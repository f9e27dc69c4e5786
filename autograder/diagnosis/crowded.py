"""Items in whose questions several situations meet, so that every mistake meets every other there.

Which mistakes were made is not read from them: they are compared with what other questions prove.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from autograder.diagnosis.accepted import Accepted
from autograder.diagnosis.agreement import Agreement
from autograder.diagnosis.bank import Bank
from autograder.diagnosis.components import Component
from autograder.diagnosis.explained import Diagnosis, all_of
from autograder.diagnosis.fault import Faults, combine
from autograder.diagnosis.raised import but_for_errors, raised_alike
from autograder.diagnosis.threads import one_thread
from autograder.sandbox.session import Answer


def explain_crowded(
    bank: Bank,
    answers: Mapping[int, Answer],
    failed: Collection[str],
    found: Mapping[str, Diagnosis],
) -> dict[str, Diagnosis]:
    """What explains items, `found`, with the failed ones in whose questions situations meet.

    answers: the submission's, by place among the bank's cases.
    """
    told = dict(found)
    lost: set[str] = set()
    with one_thread():
        for component in bank.components:
            wrong = dict.fromkeys(_wrong_items(bank, component, answers))
            crowded = [item for item in wrong if item in failed]
            if not crowded:
                continue
            here = _explained(bank, component, answers, crowded, _about(bank, component, found))
            for item, diagnosis in here.items():
                told[item] = _together(told.get(item), diagnosis)
            lost.update(item for item in crowded if item not in here)
    return {
        item: replace(each, partly=True) if item in lost else each for item, each in told.items()
    }


def _wrong_items(bank: Bank, component: Component, answers: Mapping[int, Answer]) -> Iterator[str]:
    """The items that are wrong where situations meet."""
    for place in bank.all_of(component):
        if bank.cases[place].crowded and place in answers:
            answer = answers[place]
            if not isinstance(answer, Accepted) and not bank.is_right(place, answer):
                yield bank.cases[place].item


def _about(
    bank: Bank, component: Component, found: Mapping[str, Diagnosis]
) -> dict[str, Diagnosis]:
    """Of what explains items, that which is about a component, or parts that it is built on."""
    names = {component.name, *(x.name for x in bank.every if not component.needs.isdisjoint(x.of))}
    return {
        item: each
        for item, each in found.items()
        if any(fault.component in names for fault in each.all_faults)
    }


def _explained(
    bank: Bank,
    component: Component,
    answers: Mapping[int, Answer],
    items: Collection[str],
    known: Mapping[str, Diagnosis],
) -> dict[str, Diagnosis]:
    """Those of the items that what is known explains: all that they ask about a component."""
    found: dict[str, Diagnosis] = {}
    reasons = [*dict.fromkeys(known.values())]
    if not reasons:
        return found
    certain, unsure = _proven(reasons)
    beside = {each: tuple(dict.fromkeys((*certain, *each))) for each in unsure}
    choices = list(_choices(component, [certain, *beside.values()]))
    # What cannot be tried beside what is certain is not ruled out, either.
    untried = [each for each, together in beside.items() if not combine(together)]
    digits = (False, True) if any(each.loosely for each in reasons) else (False,)
    exactly, *few = (Agreement(bank, component, answers, x, with_crowded=True) for x in digits)
    for ours in (exactly, *few):
        for item in [each for each in ours.items if each in items and each not in found]:
            places = ours.of(item)
            if fitting := ours.fitting(choices, places):
                first, *others = fitting
                if not set(first) <= set(certain):
                    kept = tuple(each for each in first if each in certain)
                    others += [(*kept, *each) for each in untried]
                told = Diagnosis(first, len(places), tuple(others[:1]), ours.loosely)
                found[item] = told.mistaken()
    found |= raised_alike(exactly, known, [each for each in items if each not in found])
    return found | but_for_errors(exactly, known, [each for each in items if each not in found])


def _proven(known: Collection[Diagnosis]) -> tuple[Faults, list[Faults]]:
    """All that is certain; and each choice of what nothing tells apart."""
    certain = tuple(dict.fromkeys(all_of((*each.certain, *each.styles) for each in known)))
    unsure = dict.fromkeys(
        choice for each in known for choice in (each.faults, *each.alternatives) if each.uncertain
    )
    return certain, list(unsure)


def _choices(component: Component, together: Collection[Faults]) -> Iterator[Faults]:
    """What may be at work of each of these."""
    for faults in dict.fromkeys(together):
        own = tuple(each for each in faults if each.component == component.name)
        # An earlier part's mistake may be at work in a later one or not.
        yield from (each for each in dict.fromkeys((own, faults)) if each and combine(each))


def _together(one: Diagnosis | None, other: Diagnosis) -> Diagnosis:
    """What explains an item that two components, or its other questions, are about, too."""
    if one is None or set(one.faults) <= set(other.faults):
        return other
    return one if set(other.all_faults) <= set(one.all_faults) else one.joined(other)
