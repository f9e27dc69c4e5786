"""How far faults of a component give what a submission gives."""

from collections.abc import Iterable, Mapping, Sequence

from autograder.diagnosis.bank import Bank
from autograder.diagnosis.components import Component, Fault, Faults
from autograder.diagnosis.evidence import apart, same, shapes
from autograder.sandbox.session import Answer

_BY_CHANCE = 1  # items in which a fault shows with some inputs and not with others
# Questions put to faults until no more are added to what explains something; a module's count more.
_PATIENCE = 3000
_MODULE = 10


class Agreement:
    """A submission's answers about one component, beside those of its faults.

    loosely: to the digits of float32 (see `same`).
    """

    def __init__(
        self, bank: Bank, component: Component, answers: Mapping[int, Answer], loosely: bool
    ) -> None:
        self.bank = bank
        self.component = component
        self.answers = answers
        self.loosely = loosely
        self._left = _PATIENCE
        places = [place for place in bank.cases_of(component) if place in answers]
        wrong = [each for each in places if not bank.is_right(each, answers[each])]
        self.items = list(dict.fromkeys(bank.cases[each].item for each in wrong))
        right = {bank.cases[each].item for each in places} - set(self.items)
        # A fault costs the item that is meant to catch it: where that is right, it was not made.
        # Nor was one that would show where all is right; but other inputs may show one more item.
        self.faults = [
            each
            for each in component.faults
            if each.item not in right and len(right.intersection(each.shows)) <= _BY_CHANCE
        ]
        # How much is found hangs on the order, too: never on what was measured or asked before.
        self.wrong = sorted(wrong, key=lambda place: bank.cases[place].size)
        elsewhere = [each for each in places if each not in wrong]
        elsewhere.sort(key=lambda place: bank.cases[place].item in right)
        self.places = self.wrong + elsewhere

    @property
    def is_patient(self) -> bool:
        """Whether more may be asked of what is less simple."""
        return self._left > 0

    def of(self, item: str) -> list[int]:
        """The cases of an item, those that are wrong first."""
        return [place for place in self.places if self.bank.cases[place].item == item]

    def agrees(self, faults: Faults, place: int) -> bool:
        """Whether these give what the submission gives, in one case."""
        self._left -= _MODULE if self.bank.cases[place].question.weights else 1
        answer = self.bank.answer(self.component, faults, place)
        return same(self.answers[place], answer, self.bank.cases[place], self.loosely)

    def fitting(self, choices: Iterable[Faults], places: Sequence[int]) -> list[Faults]:
        """Those of the choices that agree in all of these cases."""
        found = [each for each in choices if all(self.agrees(each, place) for place in places)]
        # With what is wrong before it and without it may be one and the same here.
        return [each for each in found if not any(set(other) < set(each) for other in found)]

    def is_apart(self, faults: Faults, places: Sequence[int]) -> bool:
        """Whether these are far from what is right in one of these cases."""
        return any(
            apart(
                self.bank.answer(self.component, faults, place),
                self.bank.cases[place],
                self.loosely,
            )
            for place in places
        )

    def is_part_of_it(self, faults: Faults, place: int) -> bool:
        """Whether the parameters have some of the names and shapes that the submission's have."""
        self._left -= _MODULE
        right, ours = shapes(self.bank.cases[place].right), shapes(self.answers[place])
        theirs = shapes(self.bank.answer(self.component, faults, place))
        return bool(theirs ^ right) and (theirs ^ right) < (ours ^ right)

    def would_show(self, faults: Faults) -> bool:
        """Whether these would show where the submission is right."""
        right = [place for place in self.places if place not in self.wrong]
        return bool(faults) and any(self.is_apart(faults, [place]) for place in right)

    def likely(self) -> list[Fault]:
        """The faults known to show in just the items that are wrong, the likeliest first."""
        counts = {item: sum(place in self.wrong for place in self.of(item)) for item in self.items}
        found = [each for each in self.faults if each.shows.keys() == counts.keys()]
        return sorted(
            found,
            key=lambda each: sum(abs(each.shows[item] - counts[item]) for item in counts),
        )

    def may_be_all(self, faults: Faults) -> bool:
        """Whether these are known to show in all items that are wrong."""
        unseen = set(self.items).difference(*(each.shows for each in faults))
        return len(unseen) <= _BY_CHANCE
