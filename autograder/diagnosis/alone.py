"""Whether an item fails through known mistakes alone, and would be right without them.

An item stands for what people do wrong in it. Where none of that would be seen beside a mistake,
as beside a constant that is returned, nothing is known of the rest. It may be seen in questions of
other items: a mistake that keeps one from being answered leaves others. And whoever has other
parameters is asked nothing by the checks, which cannot load theirs: such a module is asked again
with weights of its own shapes.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any

from torch import Tensor

from autograder.diagnosis.bank import Bank
from autograder.diagnosis.comparing import same
from autograder.diagnosis.components import Component, Fault, Faults, combine
from autograder.diagnosis.evidence import WRONG_PARAMETERS, Case
from autograder.handout.checks.weights import drawn_weights
from autograder.sandbox.modules import Blueprint
from autograder.sandbox.session import Answer

Ask = Callable[[Case], Answer]  # puts a case to the submission
_Shapes = Mapping[str, tuple[int, ...]]


class Alone:
    """A submission's answers, by place among the bank's cases, and whatever else it is asked."""

    def __init__(self, bank: Bank, answers: Mapping[int, Answer], ask: Ask) -> None:
        self._bank = bank
        self._answers = answers
        self._ask = ask
        self._beside = cache(self._made_beside)

    def fails_through(self, faults: Faults, item: str, explained: bool = True) -> bool:
        """Whether an item shows that all in it is right but for these faults.

        explained: it is known already that they give its answers.
        """
        return all(
            self._shows_the_rest(component, faults, item, explained)
            for component in self._bank.components
        )

    def _shows_the_rest(
        self, component: Component, faults: Faults, item: str, explained: bool
    ) -> bool:
        cases = self._bank.cases
        known = [each for each in self._bank.cases_of(component) if each in self._answers]
        places = [each for each in known if cases[each].item == item]
        wrong = [each for each in places if not self._bank.is_right(each, self._answers[each])]
        if not wrong:
            return True
        unloaded = any(_cannot_be_loaded(self._answers[each]) for each in wrong)
        beside = self._beside(component, faults, unloaded)
        if (unloaded or not explained) and not all(map(beside.agrees, places)):
            return False
        others = _others(item, component, faults)
        elsewhere = [each for each in known if each not in places]
        return (
            not others
            or any(beside.shows(other, each) for other in others for each in places)
            or any(
                beside.is_answered(each) and beside.agrees(each) and beside.shows(other, each)
                for other in others
                for each in elsewhere
                if cases[each].item in other.shows
            )
        )

    def _made_beside(self, component: Component, faults: Faults, unloaded: bool) -> "_Beside":
        kind = _Fitted if unloaded else _Beside
        return kind(component, faults, self._bank, self._answers, self._ask)


def can_be_run(component: Component, faults: Faults, bank: Bank) -> bool:
    """Whether a component with these faults answers any call, of those that the checks make.

    A module is asked with weights that fit, and only what it was made for.
    """
    beside = _Fitted(component, faults, bank, {}, ask=lambda case: case.right)
    return any(
        beside.is_answered(each)
        for each in bank.cases_of(component)
        if not isinstance(target := bank.cases[each].question.target, Blueprint)
        or target.method == "forward"
    )


def _others(item: str, component: Component, faults: Faults) -> list[Fault]:
    """The faults that may stand beside these: those meant for the item, or seen in it."""
    others = [each for each in component.faults if combine((*faults, each))]
    meant = [each for each in others if each.item == item]
    return meant or [each for each in others if item in each.shows]


def _cannot_be_loaded(answer: Answer) -> bool:
    return answer.failure is not None and answer.failure.type == WRONG_PARAMETERS


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
        return same(self._theirs(place), self._given(place), self._case(place))

    def is_answered(self, place: int) -> bool:
        """Whether the faults leave an answer."""
        return self._given(place).failure is None

    def shows(self, other: Fault, place: int) -> bool:
        """Whether another fault would be seen beside these."""
        return not same(self._given(place, other), self._given(place), self._case(place))

    def _made_case(self, place: int) -> Case:
        return self._bank.cases[place]

    def _asked(self, place: int) -> Answer:
        return self._answers[place]

    def _made_given(self, place: int, *others: Fault) -> Answer:
        return self._bank.answer(self._component, (*self._faults, *others), place)


class _Fitted(_Beside):
    """The same of a module that has other parameters: asked again, with weights that fit."""

    def _made_case(self, place: int) -> Case:
        return _with_fitting_weights(self._bank.cases[place], self._faults, self._bank)

    def _asked(self, place: int) -> Answer:
        return self._ask(self._case(place))

    def _made_given(self, place: int, *others: Fault) -> Answer:
        faults = (*self._faults, *others)
        return self._bank.ask_fault(self._component, faults, self._case(place))


def _with_fitting_weights(case: Case, faults: Faults, bank: Bank) -> Case:
    """The case with weights of the shapes that modules with these faults have.

    Modules that cannot be made are asked as before, and those that know of no parameter of theirs
    with what they draw, in float32 then.
    """
    question = case.question
    modules = [
        each
        for each in (question.target, *question.args)
        if isinstance(each, Blueprint) and each.weights is not None
    ]
    shapes = [bank.shapes_of(each, faults) for each in modules]
    if None in shapes:
        return case
    fitting = {
        id(each): replace(each, weights=_fitting(each.weights or {}, found or {}))
        for each, found in zip(modules, shapes, strict=True)
    }
    target, *args = (fitting.get(id(each), each) for each in (question.target, *question.args))
    changes: dict[str, Any] = {"target": target, "args": tuple(args)}
    if {} in shapes:
        cotangents = question.how.cotangents
        how = replace(question.how, cotangents=cotangents and tuple(map(_single, cotangents)))
        kwargs = {name: _single(each) for name, each in question.kwargs.items()}
        changes = {
            "target": _single(target),
            "args": tuple(map(_single, args)),
            "kwargs": kwargs,
            "how": how,
        }
    return replace(case, question=replace(question, **changes), at=-1)


def _fitting(weights: Mapping[str, Tensor], shapes: _Shapes) -> Mapping[str, Tensor] | None:
    """Weights of these shapes: those of the case where they fit."""
    if not shapes:
        return None
    drawn = _drawn(tuple(shapes.items()))
    kept = {name for name in shapes if name in weights and weights[name].shape == drawn[name].shape}
    return {name: weights[name] if name in kept else drawn[name] for name in shapes}


@lru_cache(maxsize=4)
def _drawn(shapes: tuple[tuple[str, tuple[int, ...]], ...]) -> Mapping[str, Tensor]:
    return drawn_weights(dict(shapes), 0)


def _single(value: Any) -> Any:
    if isinstance(value, Blueprint):
        return value.in_float32()
    is_float = isinstance(value, Tensor) and value.is_floating_point()
    return value.float() if is_float else value
