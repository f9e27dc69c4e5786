"""Whether an item fails through known mistakes alone, and would be right without them.

An item stands for what people do wrong in it. Where next to none of that would be seen beside a
mistake, as beside a constant that is returned, nothing is known of the rest; nor of what comes
after an exception. It may be seen in questions of other items: a mistake that keeps one from being
answered leaves others; else a line that mends it proves the same. And whoever has other
parameters is asked nothing by the checks, which cannot load theirs: such a module is asked again
with weights of its own shapes.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from itertools import islice

from autograder.diagnosis.accepted import Accepted, agree
from autograder.diagnosis.bank import Bank
from autograder.diagnosis.comparing import same
from autograder.diagnosis.components import Component
from autograder.diagnosis.evidence import Case, cannot_be_loaded
from autograder.diagnosis.fault import Fault, Faults, combine
from autograder.diagnosis.fitted import with_fitting_weights
from autograder.sandbox.modules import Blueprint
from autograder.sandbox.session import Answer

Ask = Callable[[Case], Answer]  # puts a case to the submission


class Alone:
    """A submission's answers, by place among the bank's cases, and whatever else it is asked."""

    def __init__(self, bank: Bank, answers: Mapping[int, Answer], ask: Ask) -> None:
        self._bank = bank
        self._answers = answers
        self._ask = ask
        self._beside = cache(self._made_beside)

    def fails_through(self, faults: Faults, item: str, roughly: bool = False) -> bool:
        """Whether an item that these faults explain shows that all else in it is right.

        roughly: they explain it to the digits of float32 alone, or what is raised in other words.
        """
        return all(
            self._shows_the_rest(component, faults, item, roughly)
            for component in self._bank.components
        )

    def _shows_the_rest(
        self, component: Component, faults: Faults, item: str, roughly: bool
    ) -> bool:
        cases = self._bank.cases
        known = [each for each in self._bank.all_of(component) if each in self._answers]
        places = [each for each in known if cases[each].item == item]
        wrong = [each for each in places if not self._is_right(each)]
        if not wrong:
            return True
        unloaded = any(cannot_be_loaded(self._answers[each]) for each in wrong)
        beside = self._beside(component, faults, unloaded)
        # An earlier part's mistake may be at work in a later one or not.
        own = tuple(each for each in faults if each in component.faults)
        choices = dict.fromkeys((faults,) if unloaded else (faults, own))
        if not roughly and not any(
            all(map(self._beside(component, each, unloaded).agrees, places)) for each in choices
        ):
            return False
        others = _others(item, component, faults)
        elsewhere = [each for each in known if each not in places]

        def is_seen(other: Fault) -> bool:
            return any(beside.tells(each) and beside.shows(other, each) for each in places) or any(
                beside.is_answered(each) and beside.agrees(each) and beside.shows(other, each)
                for each in elsewhere
                if cases[each].item in other.shows
            )

        return _enough(map(is_seen, others), len(others), len(own))

    def _is_right(self, place: int) -> bool:
        answer = self._answers[place]
        return isinstance(answer, Accepted) or self._bank.is_right(place, answer)

    def _made_beside(self, component: Component, faults: Faults, unloaded: bool) -> "_Beside":
        kind = _Fitted if unloaded else _Beside
        return kind(component, faults, self._bank, self._answers, self._ask)


def can_be_run(component: Component, faults: Faults, bank: Bank, item: str) -> bool:
    """Whether a component with these faults answers any call that the checks of an item make.

    A module is asked with weights that fit, and only what it was made for.
    """
    beside = _Fitted(component, faults, bank, {}, ask=lambda case: case.right)
    return any(
        beside.is_answered(each)
        for each in bank.cases_of(component)
        if bank.cases[each].item == item
        and (
            not isinstance(target := bank.cases[each].question.target, Blueprint)
            or target.method == "forward"
        )
    )


def _enough(seen: Iterable[bool], number: int, mistakes: int) -> bool:
    """Whether enough of what an item stands for is seen: the more, the more is wrong.

    What mistakes leave of a component may be next to nothing, as of a layer that gives back what it
    was given; and of next to nothing, something can always be seen to go wrong. Beside one it
    takes a quarter, beside two a third, beside three a half, beside four three fifths.
    """
    share, of = (mistakes - 1, mistakes + 1) if mistakes > 1 else (1, 4)
    needed = -(-number * share // of)
    return needed == sum(islice(filter(None, seen), needed))


def _others(item: str, component: Component, faults: Faults) -> list[Fault]:
    """The faults that may stand beside these: those meant for the item, or seen in it."""
    others = [each for each in component.faults if combine((*faults, each))]
    meant = [each for each in others if each.item == item]
    return meant or [each for each in others if item in each.shows]


class _Beside:
    """What a submission gives, beside what a component with some faults does."""

    def __init__(
        self,
        component: Component,
        faults: Faults,
        bank: Bank,
        answers: Mapping[int, Answer],
        ask: Ask,
    ) -> None:
        self._component = component
        self._faults = faults
        self._bank = bank
        self._answers = answers
        self._ask = ask
        self._case = cache(self._made_case)
        self._theirs = cache(self._asked)
        self._given = cache(self._made_given)

    def agrees(self, place: int) -> bool:
        """Whether the submission gives what the faults give."""
        return agree(self._theirs(place), self._given(place), self._case(place))

    def is_answered(self, place: int) -> bool:
        """Whether the faults leave an answer."""
        return self._given(place).failure is None

    def tells(self, place: int) -> bool:
        """Whether there is an answer, or an exception that is right there.

        Of what would come after another one nothing is known: it may not even be written.
        """
        given = self._given(place)
        return given.failure is None or self._bank.is_right(place, given)

    def shows(self, other: Fault, place: int) -> bool:
        """Whether another fault would be seen beside these.

        Of a function, not by an exception in the place of an answer: whoever never comes there
        raises nothing.
        """
        both, alone = self._given(place, other), self._given(place)
        case = self._case(place)
        raises = both.failure is not None and alone.failure is None
        is_module = isinstance(case.question.target, Blueprint)
        return (is_module or not raises) and not same(both, alone, case)

    def _made_case(self, place: int) -> Case:
        return self._bank.cases[place]

    def _asked(self, place: int) -> Answer:
        return self._answers[place]

    def _made_given(self, place: int, *others: Fault) -> Answer:
        return self._bank.answer(self._component, (*self._faults, *others), place)


class _Fitted(_Beside):
    """The same of a module that has other parameters: asked again, with weights that fit."""

    def _made_case(self, place: int) -> Case:
        return with_fitting_weights(self._bank.cases[place], self._faults, self._bank)

    def _asked(self, place: int) -> Answer:
        return self._ask(self._case(place))

    def _made_given(self, place: int, *others: Fault) -> Answer:
        faults = (*self._faults, *others)
        return self._bank.ask_fault(self._component, faults, self._case(place))
