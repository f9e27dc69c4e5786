"""Modules that have other parameters than were asked for, asked again with weights that fit.

The checks cannot load theirs, so that nothing is seen of what they do. Once known mistakes explain
the parameters, those beside them show.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import chain, islice, product
from typing import Any

from torch import Tensor

from autograder.diagnosis.bank import Bank
from autograder.diagnosis.components import Component
from autograder.diagnosis.evidence import Case, cannot_be_loaded
from autograder.diagnosis.explained import Diagnosis
from autograder.diagnosis.fault import Faults, combine
from autograder.diagnosis.search import diagnose
from autograder.handout.checks.weights import drawn_weights
from autograder.sandbox.modules import Blueprint
from autograder.sandbox.session import Answer

_MOST_WAYS = 6  # in each of which the submission is asked once more
_Shapes = Mapping[str, tuple[int, ...]]


def diagnose_fitted(
    bank: Bank,
    answers: Mapping[int, Answer],
    found: Mapping[str, Diagnosis],
    ask: Callable[[Case], Answer],
) -> dict[str, Diagnosis]:
    """What explains items once modules are given weights that fit their parameters.

    found: what explains them as they were asked, of which parameters alone may not tell which it
    is; ask: puts a case to the submission.
    """
    told = dict(found)
    for component in bank.components:
        places = [each for each in bank.cases_of(component) if each in answers]
        unloaded = [each for each in places if cannot_be_loaded(answers[each])]
        reasons = {found.get(bank.cases[each].item) for each in unloaded}
        choices = {(each.faults, *each.alternatives) for each in reasons if each}
        if None in reasons or len(choices) != 1:
            continue
        ways = chain.from_iterable(_ways(component, each) for each in choices.pop())
        nearest = min((_Fitted(bank, component, x, places, ask) for x in ways), key=len)
        more = diagnose(nearest, nearest.answers, nearest.wrong)
        mine = [item for item, why in found.items() if why in reasons]
        if not nearest.wrong <= more.keys():  # something else is wrong, that nobody knows
            unsure = {x for x in mine if found[x].alternatives}
            told = {x: why for x, why in told.items() if x not in unsure}
            if unsure:
                continue
        faults = nearest.faults
        told |= {x: replace(found[x], faults=faults, alternatives=()) for x in mine}
        for item, why in more.items():
            both = tuple((*faults, *each) for each in (why.faults, *why.alternatives))
            told[item] = replace(why, faults=both[0], alternatives=both[1:])
    return told


def _ways(component: Component, faults: Faults) -> Iterator[Faults]:
    """These, and the same mistakes as they are written otherwise: their parameters are alike."""
    ways = ([x for x in component.faults if x.mistake == each.mistake] for each in faults)
    found = filter(combine, product(*ways))
    return islice(chain([faults], (each for each in found if each != faults)), _MOST_WAYS)


class _Fitted(Bank):
    """The bank for one component that has some faults: with weights that fit, they are right."""

    def __init__(
        self,
        bank: Bank,
        component: Component,
        faults: Faults,
        places: Collection[int],
        ask: Callable[[Case], Answer],
    ) -> None:
        others = tuple(x for x in component.faults if x not in faults and combine((*faults, x)))
        own = replace(component, faults=others)
        self.faults = faults
        fitting = [with_fitting_weights(bank.cases[each], faults, bank) for each in places]
        cases = [replace(each, right=bank.ask_fault(component, faults, each)) for each in fitting]
        super().__init__([own], cases, [x for x in bank.every if x is not component])
        self.answers = {at: ask(each) for at, each in enumerate(cases)}
        self._wrong = [each for each in self.answers if not self.is_right(each, self.answers[each])]
        self.wrong = {cases[each].item for each in self._wrong}

    def __len__(self) -> int:
        """In how many cases something else is wrong, too."""
        return len(self._wrong)

    def ask_fault(self, component: Component, faults: Faults, case: Case) -> Answer:
        return super().ask_fault(component, (*self.faults, *faults), case)


def with_fitting_weights(case: Case, faults: Faults, bank: Bank) -> Case:
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
        before = {name: _single(each) for name, each in question.how.before.items()}
        how = replace(
            question.how, cotangents=cotangents and tuple(map(_single, cotangents)), before=before
        )
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
