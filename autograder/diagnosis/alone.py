"""Whether an item fails through known mistakes alone, and would be right without them.

An item stands for what people do wrong in it. Where none of that would be seen beside a mistake,
as beside a constant that is returned, nothing is known of the rest. And whoever has other
parameters is asked nothing by the checks, which cannot load theirs: such a module is asked again
with weights of its own shapes.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from autograder.diagnosis.bank import Bank
from autograder.diagnosis.comparing import same
from autograder.diagnosis.components import Component, Fault, Faults, combine
from autograder.diagnosis.evidence import WRONG_PARAMETERS, Case
from autograder.handout.checks.weights import drawn_weights
from autograder.sandbox.modules import Blueprint
from autograder.sandbox.session import Answer

Ask = Callable[[Case], Answer]  # puts a case to the submission


def fails_alone_through(
    faults: Faults, item: str, bank: Bank, answers: Mapping[int, Answer], ask: Ask
) -> bool:
    """Whether an item that these faults explain shows that all else in it is right."""
    for component in bank.components:
        known = [each for each in bank.cases_of(component) if each in answers]
        places = [each for each in known if bank.cases[each].item == item]
        wrong = [each for each in places if not bank.is_right(each, answers[each])]
        if not wrong:
            continue
        beside = _beside(item, component, faults)
        if any(_cannot_be_loaded(answers[each]) for each in wrong):
            fitted = [_with_fitting_weights(bank.cases[each], faults, bank) for each in places]
            cases = [each for each in fitted if each is not None]
            theirs = [bank.ask_fault(component, faults, each) for each in cases]
            agree = (same(ask(one), two, one) for one, two in zip(cases, theirs, strict=True))
            if len(cases) < len(fitted) or not all(agree):
                return False
            shows = (
                not same(bank.ask_fault(component, (*faults, other), case), answer, case)
                for other in beside
                for case, answer in zip(cases, theirs, strict=True)
            )
        else:
            shows = (
                not same(
                    bank.answer(component, (*faults, other), each),
                    bank.answer(component, faults, each),
                    bank.cases[each],
                )
                for other in beside
                for each in places
            )
        if beside and not any(shows):
            return False
    return True


def _beside(item: str, component: Component, faults: Faults) -> list[Fault]:
    """The faults that may stand beside these: those meant for the item, or seen in it."""
    others = [each for each in component.faults if combine((*faults, each))]
    meant = [each for each in others if each.item == item]
    return meant or [each for each in others if item in each.shows]


def _cannot_be_loaded(answer: Answer) -> bool:
    return answer.failure is not None and answer.failure.type == WRONG_PARAMETERS


def _with_fitting_weights(case: Case, faults: Faults, bank: Bank) -> Case | None:
    """The case with weights of the shapes that modules with these faults have; None without."""
    question = case.question

    def fitted(value: Any) -> Any:
        if not isinstance(value, Blueprint) or value.weights is None:
            return value
        shapes = bank.shapes_of(value, faults)
        return replace(value, weights=drawn_weights(shapes, 0) if shapes else None)

    target, *args = map(fitted, (question.target, *question.args))
    parts = (target, *args)
    if any(isinstance(each, Blueprint) and each.weights is None for each in parts):
        made_so = (question.target, *question.args)
        if any(isinstance(each, Blueprint) and each.weights is not None for each in made_so):
            return None
    return replace(case, question=replace(question, target=target, args=tuple(args)), at=-1)
