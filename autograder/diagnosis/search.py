"""Which faults explain a submission's answers: the numbers decide, and it speaks only when they do.

The faults of a component are asked what the submission was asked. One that answers the same, to
what the item allows, in every case, explains it, if it is far enough from what is right. Single
faults go before pairs. What explains all that is known of a component is preferred to what
explains one item; when several do, all are named, or none.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations

import torch

from autograder.diagnosis.bank import Bank
from autograder.diagnosis.components import Component, Fault, Faults, Others, combine
from autograder.diagnosis.evidence import apart, same
from autograder.sandbox.session import Answer

_TOGETHER = 4  # faults known from some items that are tried together on the others
_ALTERNATIVES = 2  # so many are told; of more, none


@dataclass(frozen=True)
class Diagnosis:
    """Why an item failed: `faults` together; each of `alternatives` explains it as well."""

    faults: Faults
    cases: int  # of the item, that they explain
    alternatives: tuple[Faults, ...] = ()

    def __str__(self) -> str:
        """The paragraphs that the student reads."""
        choices = (self.faults, *self.alternatives)
        certain = [each for each in self.faults if all(each in one for one in choices)]
        others = [each for one in choices for each in one if each not in certain]
        where = f"all {self.cases} cases of this item" if self.cases > 1 else "this item"
        if not certain:
            mistakes = "either of these mistakes gives"
        elif len(certain) == 1 and not others:
            mistakes = "this mistake gives"
        else:
            mistakes = "these mistakes give together"
        lines = [f"What it gives is, to rounding, what {mistakes}, in {where}:"]
        lines += map(_told, certain)
        if certain and others:
            lines.append("and one of these, which nothing tells apart here:")
        return "\n".join([*lines, *map(_told, others)])

    def again(self, item: str) -> str:
        """The same in short, when it was told at another item already."""
        told = " ".join(each.sentence for each in self.all_faults)
        which = "The same mistake as" if len(self.all_faults) == 1 else "The same mistakes as"
        return f"{which} in {item}: {told}"

    @property
    def all_faults(self) -> Faults:
        """The faults told, alternatives among them."""
        return tuple(dict.fromkeys(_all_of((self.faults, *self.alternatives))))


def _told(fault: Fault) -> str:
    return f"- {fault.said}"


def diagnose(
    bank: Bank, answers: Mapping[int, Answer], failed: Collection[str]
) -> dict[str, Diagnosis]:
    """Explain the failed items; those that nothing explains are left out.

    answers: the submission's, by place among the bank's cases.
    """
    with _one_thread():
        return _diagnose(bank, answers, failed)


def _diagnose(
    bank: Bank, answers: Mapping[int, Answer], failed: Collection[str]
) -> dict[str, Diagnosis]:
    found: dict[str, Diagnosis] = {}
    others: list[tuple[Component, Faults]] = []
    for component in bank.components:
        items = {bank.cases[place].item for place in bank.cases_of(component)}
        if items.isdisjoint(failed):  # what else went wrong was another component's doing
            continue
        search = _Search(bank, component, answers, tuple(others))
        whole = search.explain_all()
        wrong = dict.fromkeys(bank.cases[place].item for place in search.wrong)
        wanted = [item for item in wrong if item in failed]
        ours = search.diagnose(wanted, whole)
        for item, diagnosis in ours.items():
            found[item] = _joined(found.get(item), diagnosis)
        if len(whole) == 1 and whole[0]:
            others.append((component, whole[0]))
    return found


@contextmanager
def _one_thread() -> Iterator[None]:
    """So small tensors are not worth waking other threads, which takes longer than the work."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _joined(one: Diagnosis | None, other: Diagnosis) -> Diagnosis:
    """Two components that fail in one item."""
    if one is None:
        return other
    both = tuple(dict.fromkeys(one.faults + other.faults))
    return Diagnosis(both, one.cases + other.cases)


class _Search:
    """What explains the answers of one component."""

    def __init__(
        self, bank: Bank, component: Component, answers: Mapping[int, Answer], others: Others
    ) -> None:
        self._bank = bank
        self._component = component
        self._answers = answers
        self._others = others
        places = [place for place in bank.cases_of(component) if place in answers]
        wrong = [each for each in places if not bank.is_right(each, answers[each])]
        items = Counter(bank.cases[each].item for each in wrong)
        right = {bank.cases[each].item for each in places} - items.keys()
        # A fault costs the item that is meant to catch it: where that is right, it was not made.
        self._faults = [each for each in component.faults if each.item not in right]
        likely = [each for each in self._faults if each.shows.keys() == items.keys() and not others]
        self._likely = sorted(likely, key=lambda each: _unlike(each.shows, items))
        # What is found does not depend on the order; how soon it is found does.
        soon = self._likely or self._faults
        self.wrong = sorted(wrong, key=lambda place: bank.cost(component, soon, place))
        elsewhere = [each for each in places if each not in wrong]
        elsewhere.sort(key=lambda place: bank.cases[place].item in right)
        self.places = self.wrong + elsewhere
        self._to_explain = [each for each in self.places if bank.cases[each].item in items]

    def _agrees(self, faults: Faults, place: int) -> bool:
        answer = self._bank.answer(self._component, faults, place, self._others)
        return same(self._answers[place], answer, self._bank.cases[place])

    def explain_all(self) -> list[Faults]:
        """What gives all that is known of the component.

        A fault that is known to show in just the items that are wrong here gives what is right
        in the others: it is not asked about them. No two give the same everywhere, so the first
        that fits is the only one; those that show in as many cases are tried first.
        """
        for fault in self._likely:
            if all(self._agrees((fault,), place) for place in self._to_explain):
                return [(fault,)]
        return self.explain(self.places)

    def explain(self, places: Sequence[int]) -> list[Faults]:
        """The fewest faults that give all of these answers: every such choice of them."""
        if all(self._agrees((), place) for place in places):
            return [()]
        singles = [(each,) for each in self._faults]
        pairs = [each for each in self._component.pairs if set(each) <= set(self._faults)]
        return self._fitting(singles, places) or self._fitting(pairs, places)

    def _fitting(self, choices: Iterable[Faults], places: Sequence[int]) -> list[Faults]:
        return [each for each in choices if all(self._agrees(each, place) for place in places)]

    def diagnose_item(self, item: str, whole: Sequence[Faults]) -> Diagnosis | None:
        """What explains one item, `whole` being what explains all that is known."""
        cases = self._bank.cases
        places = [place for place in self.places if cases[place].item == item]
        wrong = [place for place in self.wrong if cases[place].item == item]
        ordered = wrong + [place for place in places if place not in self.wrong]
        if whole:
            # Of two faults, one may be enough here.
            parts = [(each,) for each in dict.fromkeys(_all_of(whole))]
            choices = self._fitting(parts, ordered) or list(whole)
        else:
            choices = self.explain(ordered)
        choices = [each for each in choices if self._is_apart(each, places)]
        if len(whole) > 1 and choices:
            certain = tuple(each for each in choices[0] if all(each in one for one in choices))
            choices = choices if len(choices) <= _ALTERNATIVES or not certain else [certain]
        if not choices or len(choices) > _ALTERNATIVES:
            return None
        if not choices[0]:  # it is wrong only where it is built on what is
            choices = [tuple(_all_of(faults for _, faults in self._others))]
        return Diagnosis(choices[0], len(places), tuple(choices[1:]))

    def diagnose(self, items: Sequence[str], whole: Sequence[Faults]) -> dict[str, Diagnosis]:
        """What explains these items, `whole` being what explains all that is known.

        Where nothing does, each item is explained by itself; but not by what would show where the
        submission is right, unless it is hidden there by what other items show.
        """
        found = {item: self.diagnose_item(item, whole) for item in items}
        known = {item: each for item, each in found.items() if each}
        if whole:
            return known
        sure = {item: each for item, each in known.items() if not self._contradicted(each.faults)}
        certain = set(_all_of(e.faults for e in known.values() if not e.alternatives))
        # In the order of their file: that of the items hangs on how long the reference took.
        told = tuple(each for each in self._component.faults if each in certain)
        sizes = range(2, min(len(told), _TOGETHER) + 1)
        for size in sizes if len(sure) < len(items) else ():
            for several in filter(combine, combinations(told, size)):
                if not self._contradicted(several):
                    sure |= self._explained_by(
                        several, [each for each in items if each not in sure]
                    )
        return sure

    def _explained_by(self, several: Faults, items: Iterable[str]) -> dict[str, Diagnosis]:
        """Those of the items that some or all of these faults explain: the fewest that do."""
        found = {}
        for item in items:
            places = [each for each in self.places if self._bank.cases[each].item == item]
            sizes = range(1, len(several) + 1)
            choices = (each for size in sizes for each in combinations(several, size))
            fitting = next((each for each in choices if self._fitting([each], places)), None)
            if fitting and self._is_apart(fitting, places):
                found[item] = Diagnosis(fitting, len(places))
        return found

    def _contradicted(self, faults: Faults) -> bool:
        """Whether these would show where the submission is right."""
        right = [place for place in self.places if place not in self.wrong]
        return bool(faults) and any(self._is_apart(faults, [place]) for place in right)

    def _is_apart(self, faults: Faults, places: Sequence[int]) -> bool:
        return any(
            apart(
                self._bank.answer(self._component, faults, place, self._others),
                self._bank.cases[place],
            )
            for place in places
        )


def _unlike(one: Mapping[str, int], other: Mapping[str, int]) -> int:
    return sum(abs(one[item] - other[item]) for item in one)


def _all_of(choices: Iterable[Faults]) -> Iterable[Fault]:
    return (each for faults in choices for each in faults)
