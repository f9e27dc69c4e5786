"""How far faults of a component give what a submission gives."""

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

from autograder.diagnosis.accepted import Accepted, agree
from autograder.diagnosis.bank import Bank
from autograder.diagnosis.comparing import apart
from autograder.diagnosis.components import Component
from autograder.diagnosis.fault import Fault, Faults, combine
from autograder.diagnosis.parts import Parts, WrongParts
from autograder.diagnosis.seen import shapes
from autograder.sandbox.session import Answer

_BY_CHANCE = 1  # items in which a fault shows with some inputs and not with others
# Questions put to more than single faults in vain, until no more are: in milliseconds, by what the
# bank says they cost, so that the same are asked on every machine.
_PATIENCE = 600.0
_A_WHILE = 300.0  # of these, for what it is built on
_A_LITTLE = 100.0  # for what is known, together with one more
_LOOSE_PATIENCE = 100.0
_DEAR = 20.0  # milliseconds of one question: what may be asked would be used up by a few
_NEARLY = 0.02  # of the way from what is right to what was answered, that is left


class Agreement:
    """A submission's answers about one component, beside those of its faults.

    loosely: to the digits of float32 (see `same`). once_more: after they were compared already.
    with_crowded: in the cases, too, in which all mistakes meet.
    """

    def __init__(
        self,
        bank: Bank,
        component: Component,
        answers: Mapping[int, Answer],
        loosely: bool,
        once_more: bool = False,
        with_crowded: bool = False,
    ) -> None:
        self.bank = bank
        self.component = component
        self.answers = answers
        self.loosely = loosely
        self._left = _LOOSE_PATIENCE if loosely else _A_WHILE if once_more else _PATIENCE
        self._answered: set[tuple[Faults, int]] = set()
        self._agrees: dict[tuple[Faults, int], bool] = {}
        self._shares: dict[tuple[Faults, int], tuple[float, float]] = {}
        self._parts: dict[int, WrongParts] = {}  # of the submission's answers, by place
        self._found: dict[tuple[Faults, int], tuple[int, int]] = {}
        cases = bank.all_of(component) if with_crowded else bank.cases_of(component)
        asked = [place for place in cases if place in answers]
        places = [place for place in asked if not self._is_beside(place)]
        wrong = [each for each in places if not bank.is_right(each, answers[each])]
        proven = [each for each in wrong if not isinstance(answers[each], Accepted)]
        self.items = list(dict.fromkeys(bank.cases[each].item for each in proven))
        right = {bank.cases[each].item for each in places} - set(self.items)
        # A fault costs the item that is meant to catch it: where that is right, it was not made.
        # Nor was one that would show where all is right; but other inputs may show one more item.
        self.faults = [
            each
            for each in component.faults
            if each.item not in right and len(right.intersection(each.shows)) <= _BY_CHANCE
        ]
        # How much is found hangs on the order, too: never on what was measured or asked before.
        # Nothing is proven where it is off by little. Gradients tell most: a mistake leaves some of
        # them alone, however much else it changes.
        far = {each for each in wrong if apart(answers[each], bank.cases[each], loosely)}
        sizes = {each: (bank.cost(each) > _DEAR, bank.cases[each].size) for each in wrong}
        self.wrong = sorted(
            wrong, key=lambda place: (place not in far, not self._tells(place), sizes[place])
        )
        self._wrong = set(wrong)
        elsewhere = [each for each in places if each not in self._wrong]
        elsewhere.sort(key=lambda place: bank.cases[place].item in right)
        self.places = self.wrong + elsewhere

    def _is_beside(self, place: int) -> bool:
        """Whether parameters that are not asked for, and that nobody knows, are all that is wrong.

        They say nothing of what else there is: all of it was asked without them.
        """
        case = self.bank.cases[place]
        if not case.is_of_state:
            return False
        right, more = shapes(case.right), shapes(self.answers[place])
        if not right < more:
            return False
        names = {name for name, _ in more - right}
        faults = filter(self.component.makes_other, self.component.faults)
        known = (each for each in faults if case.item in each.shows)
        given = (shapes(self.bank.answer(self.component, (each,), place)) for each in known)
        return all(names.isdisjoint(name for name, _ in each) for each in given)

    def for_a_while(self, choices: Iterable[Faults]) -> Iterator[Faults]:
        """The choices, one by one, while not too much is asked of them."""
        end = self._left - _A_WHILE
        return takewhile(lambda _: self._left > max(end, 0), choices)

    def at_length(self, choices: Iterable[Faults]) -> Iterator[Faults]:
        """The choices, one by one, as long as anything may be asked; which is not used up by it."""
        with self.aside():
            yield from takewhile(lambda _: self.is_patient, choices)

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        """What is asked meanwhile is not used up by it."""
        before = self._left
        yield
        self._left = before

    @property
    def is_patient(self) -> bool:
        """Whether more may be asked of what is less simple."""
        return self._left > 0

    def be_patient(self) -> None:
        """Let a little be asked in any case, of what is likely."""
        self._left = max(self._left, _A_LITTLE)

    def go_on(self) -> None:
        """Let more be asked for a while: a mistake is seen, beside which there may be others."""
        self._left = max(self._left, _LOOSE_PATIENCE if self.loosely else _A_WHILE)

    def _tells(self, place: int) -> bool:
        """Whether it is about gradients, and was answered."""
        asked = self.bank.cases[place].question.how.cotangents is not None
        return asked and self.answers[place].failure is None

    def of(self, item: str) -> list[int]:
        """The cases of an item, those that are wrong first."""
        return [place for place in self.places if self.bank.cases[place].item == item]

    def agrees(self, faults: Faults, place: int) -> bool:
        """Whether these give what the submission gives, in one case."""
        if (faults, place) not in self._agrees:
            left, case = self._left, self.bank.cases[place]
            answer = self._answer(faults, place)
            self._agrees[faults, place] = self._may_agree(faults, place) and agree(
                self.answers[place], answer, case, self.loosely
            )
            if self._agrees[faults, place]:
                self._left = left  # what has agreed so far is worth asking on
        return self._agrees[faults, place]

    def share(self, faults: Faults, place: int) -> float:
        """How much of what is wrong in one case these give: more than 1 where they give it all."""
        return self._shares_at(faults, place)[0]

    def hint(self, faults: Faults, place: int) -> float:
        """The share; or where that is nothing, half of what they give nearly.

        A mistake that changes little leaves nothing of another as it would be alone.
        """
        share, near = self._shares_at(faults, place)
        return share or near / 2

    def _shares_at(self, faults: Faults, place: int) -> tuple[float, float]:
        if (faults, place) not in self._shares:
            self._shares[faults, place] = self._share(faults, place)
        return self._shares[faults, place]

    def _parts_at(self, place: int) -> WrongParts:
        if place not in self._parts:
            asked = self.answers[place], self.bank.cases[place], self.loosely
            self._parts[place] = WrongParts(*asked)
        return self._parts[place]

    def _share(self, faults: Faults, place: int) -> tuple[float, float]:
        """How much of what is wrong these give; and nearly."""
        case, ours = self.bank.cases[place], self.answers[place]
        agrees = self.agrees(faults, place)
        if agrees and (place not in self._wrong or self.is_apart(faults, [place])):
            return 2.0, 0.0
        theirs = self._answer(faults, place)
        if case.is_parameters:
            right, known, found = shapes(case.right), shapes(ours), shapes(theirs)
            is_part = not agrees and (found ^ right) < (known ^ right)
            return (len(found ^ right) / len(known ^ right) if is_part else 0.0), 0.0
        part, near = self._shared(faults, place)
        many = len(self._parts_at(place)) or 1
        return (0.0 if agrees else part / many), near / many

    def _may_agree(self, faults: Faults, place: int) -> bool:
        """Whether all that is wrong is as with these, which is seen sooner than whether all is."""
        if place not in self._wrong or self.loosely or isinstance(self.answers[place], Accepted):
            return True
        return self._shared(faults, place)[0] == len(self._parts_at(place))

    def _shared(self, faults: Faults, place: int) -> tuple[int, int]:
        if (faults, place) not in self._found:
            theirs = Parts(self._answer(faults, place), self.bank.cases[place], self.loosely)
            self._found[faults, place] = self._parts_at(place).shared(theirs, _NEARLY)
        return self._found[faults, place]

    def _answer(self, faults: Faults, place: int) -> Answer:
        is_simple = len(faults) < 2 and all(each in self.faults for each in faults)
        if not is_simple and (faults, place) not in self._answered:
            self._answered.add((faults, place))
            self._left -= self.bank.cost(place)
        return self.bank.answer(self.component, faults, place)

    def fitting(self, choices: Iterable[Faults], places: Sequence[int]) -> list[Faults]:
        """Those of the choices that agree in all of these cases, less what changes nothing."""
        found = [each for each in choices if self._agree_at(each, places)]
        found = list(dict.fromkeys(self._least(each, places) for each in found))
        return [each for each in found if not any(set(other) < set(each) for other in found)]

    def twins(self, faults: Faults, places: Sequence[int]) -> list[Faults]:
        """The same with another fault in the place of one, of the same step, if they agree, too."""
        found = [
            tuple(other if each is one else each for each in faults)
            for one in faults
            for other in self.faults
            if other not in faults and not other.steps.isdisjoint(one.steps)
        ]
        return [each for each in found if combine(each) and self._agree_at(each, places)]

    def _least(self, faults: Faults, places: Sequence[int]) -> Faults:
        for one in faults if len(faults) > 1 else ():
            others = tuple(each for each in faults if each is not one)
            if self._agree_at(others, places):
                return self._least(others, places)
        return faults

    def _agree_at(self, faults: Faults, places: Sequence[int]) -> bool:
        known = self._agrees
        if any(known.get((faults, place)) is False for place in places):
            return False
        # What the rest of them left open is asked first: most others do not explain it, either.
        first = sorted(places, key=lambda place: known.get((faults[1:], place)) is not False)
        return all(self.agrees(faults, place) for place in first)

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

    def hides(self, faults: Faults, place: int) -> bool:
        """Whether nothing can be seen of these in a case: an exception came, or other shapes."""
        if self.answers[place].failure is not None:
            return True
        both = self.answers[place], self.bank.answer(self.component, faults, place)
        case, loosely = self.bank.cases[place], self.loosely
        ours, theirs = (Parts(each, case, loosely).shapes for each in both)
        return bool(ours and theirs) and ours.isdisjoint(theirs)

    def changes(self, faults: Faults, places: Sequence[int]) -> bool:
        """Whether one of these cases is not right with these, to all of its digits."""
        answers = ((x, self.bank.answer(self.component, faults, x)) for x in places)
        return not all(self.bank.is_right(*each) for each in answers)

    def would_show(self, faults: Faults) -> bool:
        """Whether these would show where the submission is right."""
        right = [place for place in self.places if place not in self._wrong]
        return bool(faults) and any(self.is_apart(faults, [place]) for place in right)

    def likely(self) -> list[Fault]:
        """The faults known to show in just the items that are wrong, the likeliest first."""
        counts = Counter(self.bank.cases[place].item for place in self.wrong)
        found = [each for each in self.faults if each.shows.keys() == counts.keys()]
        return sorted(
            found,
            key=lambda each: sum(abs(each.shows[item] - counts[item]) for item in counts),
        )

    def may_be_all(self, faults: Faults) -> bool:
        """Whether these are known to show in all items that are wrong."""
        unseen = set(self.items).difference(*(each.shows for each in faults))
        return len(unseen) <= _BY_CHANCE
