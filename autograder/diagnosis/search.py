"""Which faults explain a submission's answers: the numbers decide, and it speaks only when they do.

The faults of a component are asked what the submission was asked. One that answers the same, to
what the item allows, in every case, explains it, if it is far enough from what is right. What
explains all that is known of a component is preferred to what explains one item; when several do,
all are named, or none.

Simple explanations go before others: one fault; two that are made often; one that explains
something, with any other, and then with a third; the same of the parts that a component is built
on; all of it once more to the digits of float32. An earlier part that is known to be wrong may be
at work in a later one or not: both are tried.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import combinations, islice

import torch

from autograder.diagnosis.bank import Bank
from autograder.diagnosis.components import Component, Fault, Faults, combine
from autograder.diagnosis.evidence import apart, same, shapes
from autograder.diagnosis.explained import Diagnosis, all_of
from autograder.sandbox.session import Answer

_TOGETHER = 4  # faults known from some items that are tried together on the others
_ALTERNATIVES = 2  # so many are told; of more, none
_SEEDS = 4  # explanations of something to which others are added
_LOOKED_AT = 3  # cases of an item that may speak against a fault
_BY_CHANCE = 1  # items in which a fault shows with some inputs and not with others
_SAMPLES = 3  # wrong cases, one of which a seed must explain
# Questions put to faults until no more are added to what explains something; a module's count more.
_PATIENCE = 3000
_MODULE = 10


def diagnose(
    bank: Bank, answers: Mapping[int, Answer], failed: Collection[str]
) -> dict[str, Diagnosis]:
    """Explain the failed items; those that nothing explains are left out.

    answers: the submission's, by place among the bank's cases.
    """
    with _one_thread():
        found: dict[str, Diagnosis] = {}
        before: Faults = ()  # those of earlier components
        for component in bank.components:
            items = {bank.cases[place].item for place in bank.cases_of(component)}
            if items.isdisjoint(failed):  # what else went wrong was another component's doing
                continue
            search = _Search(bank, component, answers, before)
            ours = search.diagnose(failed)
            for item, diagnosis in ours.items():
                found[item] = found[item].joined(diagnosis) if item in found else diagnosis
            before += search.certain
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


class _Search:
    """What explains the answers of one component."""

    def __init__(
        self, bank: Bank, component: Component, answers: Mapping[int, Answer], before: Faults
    ) -> None:
        self._bank = bank
        self._component = component
        self._answers = answers
        self._before = before
        self._loosely = False
        self._patience = _PATIENCE
        places = [place for place in bank.cases_of(component) if place in answers]
        wrong = [each for each in places if not bank.is_right(each, answers[each])]
        items = Counter(bank.cases[each].item for each in wrong)
        right = {bank.cases[each].item for each in places} - items.keys()
        # A fault costs the item that is meant to catch it: where that is right, it was not made.
        # Nor was one that would show where all is right; but other inputs may show one more item.
        self._faults = [
            each
            for each in component.faults
            if each.item not in right and len(right.intersection(each.shows)) <= _BY_CHANCE
        ]
        likely = [each for each in self._faults if each.shows.keys() == items.keys()]
        self._likely = [] if before else sorted(likely, key=lambda x: _unlike(x.shows, items))
        # What is found does not depend on the order; how soon it is found does.
        soon = self._likely or self._faults
        self._wrong = sorted(wrong, key=lambda place: bank.cost(component, soon, place))
        elsewhere = [each for each in places if each not in wrong]
        elsewhere.sort(key=lambda place: bank.cases[place].item in right)
        self._places = self._wrong + elsewhere
        self._to_explain = [each for each in self._places if bank.cases[each].item in items]
        self.certain: Faults = ()  # what all that is known of the component proves

    def diagnose(self, failed: Collection[str]) -> dict[str, Diagnosis]:
        """What explains these of its items that are wrong here."""
        wanted = [item for item in self._items(self._wrong) if item in failed]
        for self._loosely in (False, True):
            whole = self._explain_all()
            if whole:
                self.certain = whole[0] if len(whole) == 1 else ()
                told = {item: self._diagnose_item(item, whole) for item in wanted}
                return {item: each for item, each in told.items() if each}
            if found := self._diagnose_each(wanted):
                return found
        return {}

    # All that is known of the component

    def _explain_all(self) -> list[Faults]:
        """What gives all that is known of the component.

        A fault that is known to show in just the items that are wrong here gives what is right
        in the others: it is not asked about them. No two give the same everywhere, so the first
        that fits is the only one; those that show in as many cases are tried first.
        """
        for fault in self._likely:
            if all(self._agrees((fault,), place) for place in self._to_explain):
                return [(fault,)]
        items = set(self._items(self._to_explain))
        for choices in self._choices(
            lambda faults: len(items.difference(_shown_by(faults))) <= _BY_CHANCE
        ):
            if found := self._fitting(choices, self._places):
                return found
        return self._fitting(self._inherited, self._places)

    def _choices(self, may_be: Callable[[Faults], bool]) -> Iterator[list[Faults]]:
        """Explanations, simple ones first, each with and without what is wrong before it.

        may_be: whether faults, by where they are known to show, may be what is asked for.
        """
        before = [self._before, ()] if self._before else [()]
        singles: list[Faults] = [(each,) for each in self._faults]
        yield list(before)
        for choices in (singles, self._often, *self._grown):
            known = all(each.shows for faults in choices for each in faults)
            kept = choices if self._before or not known else list(filter(may_be, choices))
            if self._patience > 0 or choices is singles:
                yield [faults + each for faults in kept for each in before]

    @cached_property
    def _often(self) -> list[Faults]:
        return [each for each in self._component.pairs if set(each) <= set(self._faults)]

    @property
    def _grown(self) -> Iterator[list[Faults]]:
        """What explains something together with any other fault, and these with a third."""
        yield self._pairs
        yield self._threes

    @cached_property
    def _pairs(self) -> list[Faults]:
        return self._with_another(self._seeds([(each,) for each in self._faults]))

    @cached_property
    def _threes(self) -> list[Faults]:
        return self._with_another(self._seeds(self._pairs))

    def _with_another(self, seeds: Sequence[Faults]) -> list[Faults]:
        found = [{*each, one} for each in seeds for one in self._faults if one not in each]
        ordered = (tuple(x for x in self._component.faults if x in each) for each in found)
        return [each for each in dict.fromkeys(ordered) if combine(each)]

    def _seeds(self, choices: Sequence[Faults]) -> list[Faults]:
        """The first of the choices that explain a wrong case, of each item the soonest asked."""
        firsts = {self._bank.cases[each].item: each for each in reversed(self._wrong)}
        samples = sorted(firsts.values(), key=self._wrong.index)[:_SAMPLES]
        seeds: list[Faults] = []
        for faults in choices:
            if len(seeds) == _SEEDS or self._patience <= 0:
                break
            seen = (self._agrees(faults, x) and self._is_apart(faults, [x]) for x in samples)
            if any(seen) or any(self._is_part_of_it(faults, x) for x in self._of_parameters):
                seeds.append(faults)
        return seeds

    @cached_property
    def _of_parameters(self) -> list[int]:
        """The first wrong case that is about the parameters themselves, if there is one."""
        wrong = (each for each in self._wrong if self._bank.cases[each].is_parameters)
        return list(islice(wrong, 1))

    def _is_part_of_it(self, faults: Faults, place: int) -> bool:
        """Whether the parameters have some of the names and shapes that the submission's have."""
        self._patience -= _MODULE
        case = self._bank.cases[place]
        right, ours = shapes(case.right), shapes(self._answers[place])
        theirs = shapes(self._bank.answer(self._component, faults, place))
        return bool(theirs ^ right) and (theirs ^ right) < (ours ^ right)

    @cached_property
    def _inherited(self) -> list[Faults]:
        """Mistakes of the parts that it is built on, whether or not these are wrong themselves."""
        return [(each,) for each in self._bank.built_on(self._component)]

    def _agrees(self, faults: Faults, place: int) -> bool:
        self._patience -= _MODULE if self._bank.cases[place].question.weights else 1
        answer = self._bank.answer(self._component, faults, place)
        return same(self._answers[place], answer, self._bank.cases[place], self._loosely)

    def _fitting(self, choices: Iterable[Faults], places: Sequence[int]) -> list[Faults]:
        found = [each for each in choices if all(self._agrees(each, place) for place in places)]
        # With what is wrong before it and without it may be one and the same here.
        return [each for each in found if not any(set(other) < set(each) for other in found)]

    # One item

    def _diagnose_item(self, item: str, whole: Sequence[Faults]) -> Diagnosis | None:
        """What explains one item, `whole` being what explains all that is known."""
        places = self._of(item)
        if whole:
            # Of two faults, one may be enough here.
            parts = [(each,) for each in dict.fromkeys(all_of(whole))]
            choices = self._fitting(parts, places) or list(whole)
        else:
            choices = self._explain_item(item, places)
        choices = [each for each in choices if self._is_apart(each, places)]
        if len(whole) > 1 and choices:
            certain = tuple(each for each in choices[0] if all(each in one for one in choices))
            choices = choices if len(choices) <= _ALTERNATIVES or not certain else [certain]
        if not choices or len(choices) > _ALTERNATIVES:
            return None
        return Diagnosis(choices[0], len(places), tuple(choices[1:]), self._loosely)

    def _explain_item(self, item: str, places: Sequence[int]) -> list[Faults]:
        for choices in self._choices(lambda faults: all(item in each.shows for each in faults)):
            if found := self._fitting(choices, places):
                return found
        return []

    def _diagnose_each(self, items: Sequence[str]) -> dict[str, Diagnosis]:
        """What explains these items one by one, where nothing explains all that is known.

        But not by what would show where the submission is right, unless it is hidden there by
        what other items show; nor by what speaks against another item that failed.
        """
        found = {item: self._diagnose_item(item, ()) for item in items}
        known = {item: each for item, each in found.items() if each}
        sure = {item: each for item, each in known.items() if not self._contradicted(each.faults)}
        certain = set(all_of(e.faults for e in known.values() if not e.alternatives))
        # In the order of their file: that of the items hangs on how long the reference took.
        told = tuple(each for each in self._component.faults if each in certain)
        sizes = range(2, min(len(told), _TOGETHER) + 1)
        for size in sizes if len(sure) < len(items) else ():
            for several in filter(combine, combinations(told, size)):
                if not self._contradicted(several):
                    left = [each for each in items if each not in sure]
                    sure |= self._explained_by(several, left)
        return self._without_contradiction(sure)

    def _explained_by(self, several: Faults, items: Iterable[str]) -> dict[str, Diagnosis]:
        """Those of the items that some or all of these faults explain: the fewest that do."""
        found = {}
        for item in items:
            places = self._of(item)
            sizes = range(1, len(several) + 1)
            choices = (each for size in sizes for each in combinations(several, size))
            fitting = next((each for each in choices if self._fitting([each], places)), None)
            if fitting and self._is_apart(fitting, places):
                found[item] = Diagnosis(fitting, len(places), loosely=self._loosely)
        return found

    def _contradicted(self, faults: Faults) -> bool:
        """Whether these would show where the submission is right."""
        right = [place for place in self._places if place not in self._wrong]
        return bool(faults) and any(self._is_apart(faults, [place]) for place in right)

    def _without_contradiction(self, found: Mapping[str, Diagnosis]) -> dict[str, Diagnosis]:
        """Those that no other failed item speaks against.

        Where a fault shows in an item that it does not explain, another mistake may hide it, as
        an exception does; but if it is seen in no case there, with any other fault, it was not
        made.
        """
        cited = {item: set(each.all_faults) for item, each in found.items()}
        doubtful = {
            fault
            for fault in set().union(*cited.values())
            for item in self._items(self._wrong)
            if fault not in cited.get(item, ()) and self._speaks_against(fault, item)
        }
        return {item: each for item, each in found.items() if doubtful.isdisjoint(cited[item])}

    def _speaks_against(self, fault: Fault, item: str) -> bool:
        answered = [each for each in self._wrong if self._answers[each].failure is None]
        places = [each for each in answered if self._bank.cases[each].item == item]
        shows = [each for each in places if self._is_apart((fault,), [each])][:_LOOKED_AT]
        others = [each for each in self._with_another([(fault,)]) if item in _shown_by(each)]
        choices = [(fault,), *others]
        return bool(shows) and not any(self._agrees(x, each) for x in choices for each in shows)

    def _of(self, item: str) -> list[int]:
        """The cases of an item, those that are wrong first."""
        return [place for place in self._places if self._bank.cases[place].item == item]

    def _items(self, places: Iterable[int]) -> list[str]:
        return list(dict.fromkeys(self._bank.cases[each].item for each in places))

    def _is_apart(self, faults: Faults, places: Sequence[int]) -> bool:
        return any(
            apart(
                self._bank.answer(self._component, faults, place),
                self._bank.cases[place],
                self._loosely,
            )
            for place in places
        )


def _shown_by(faults: Faults) -> Iterator[str]:
    """The items in which any of these is known to show."""
    return (item for each in faults for item in each.shows)


def _unlike(one: Mapping[str, int], other: Mapping[str, int]) -> int:
    return sum(abs(one[item] - other[item]) for item in one)
