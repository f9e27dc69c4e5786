"""The bank of faults: the components of an assignment, and what they answer to its checks."""

from collections import Counter, OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import torch

from autograder.asking import Question, RemoteStudent
from autograder.checking import CheckOutcome
from autograder.course import Verdict
from autograder.diagnosis.accepted import Accepted
from autograder.diagnosis.comparing import same
from autograder.diagnosis.components import Component, of_name
from autograder.diagnosis.evidence import Case, ask, tensors_of, told_by
from autograder.diagnosis.fault import Fault, Faults
from autograder.diagnosis.seen import shapes
from autograder.sandbox.failure import Failure
from autograder.sandbox.modules import Blueprint
from autograder.sandbox.session import Answer

_LARGEST = 1 << 24  # bytes of an answer that is remembered
_MOST = 1 << 28  # bytes of those to several faults, of which there is no end; the last stay
_OVERHEAD = 1 << 10  # bytes that an answer, and each tensor in it, takes beside its numbers, about
# What a question takes, in milliseconds of a usual processor: fitted to the references of eight
# assignments, whose times are off by 16 % on the median. Then the answers are compared.
_MS, _MS_COMPARING = 0.02, 0.1
_MS_PER_CALL = 0.0062  # of torch
_BACKWARDS, _ELSEWHERE = 3.4, 4  # times as long, with gradients, and where each call is looked at
_MS_PER_PARAMETER = 0.043  # of the module whose answer it is; others are made once
_MS_PER_UNLOADED = 0.025  # the same where no weights are loaded into it
_MS_PER_MEGABYTE = 1.9
_Key = tuple[str, Faults, int]
_TOO_LARGE = Answer(None, failure=Failure("an answer that is too large", ""))


class Bank:
    """The components of an assignment, and what their faults answer to the cases of its checks.

    inherited: components of earlier assignments, whose parts are given in this one; a student may
    well write them again, with their mistakes.
    """

    def __init__(
        self,
        components: Sequence[Component],
        cases: Sequence[Case],
        inherited: Sequence[Component] = (),
    ) -> None:
        self.components = components
        self.cases = cases
        self._inherited = inherited
        self.every = (*inherited, *components)
        self._answers: dict[_Key, Answer] = {}
        self._of_several: OrderedDict[_Key, Answer] = OrderedDict()
        self._bytes = 0  # of the latter
        self._of = [of_name(components, each.question.name) for each in cases]
        self.asking, self.making = cache(self._asking), cache(self._making)

    def built_on(self, component: Component) -> Faults:
        """The faults of the given parts that a component uses, and the common ones of others."""
        given = [each for each in self._inherited if not component.uses.isdisjoint(each.of)]
        parts = [each for each in self.components if not component.needs.isdisjoint(each.of)]
        found = [*(each.faults for each in given), *(each.common for each in parts)]
        return tuple(fault for faults in found for fault in faults)

    def ask(
        self, student: RemoteStudent, outcomes: Sequence[CheckOutcome], failed: Collection[str]
    ) -> dict[int, Answer]:
        """A submission's answers about every component that failed items look at, by place.

        outcomes: of all checks of that submission.
        """
        looked_at = {self._of[at] for at, each in enumerate(self.cases) if each.item in failed}
        places = [at for each in self.components if each in looked_at for at in self.all_of(each)]
        answers = {place: _asked(student, self.cases[place]) for place in places}
        lost = {(x.item, x.sentence) for x in outcomes if x.verdict is not Verdict.PASSED}
        asked = {(x.item, x.sentence) for x in outcomes}
        for place, answer in answers.items():
            case = self.cases[place]
            if _may_differ(case, answer) and (case.item, case.sentence) in asked - lost:
                answers[place] = Accepted(**vars(answer))
        return answers

    def all_of(self, component: Component) -> list[int]:
        """The cases that look at a component."""
        found = [place for place, each in enumerate(self._of) if each is component]
        return [place for place in found if not self.cases[place].counts_calls]

    def cases_of(self, component: Component) -> list[int]:
        """Those of them that tell what is wrong: in the crowded ones all mistakes meet."""
        return [place for place in self.all_of(component) if not self.cases[place].crowded]

    def answer(self, component: Component, faults: Faults, place: int) -> Answer:
        """What a component answers to a case with these faults, in it and in its parts."""
        case = self.cases[place]
        faults = tuple(each for each in faults if self._matters(each, component, case))
        if not faults:
            return case.right
        key = component.name, faults, place
        kept = self._answers if len(faults) == 1 else self._of_several
        if key not in kept:
            answer = _alone(self.ask_fault(component, faults, case))
            kept[key] = answer = answer if _size(answer) <= _LARGEST else _TOO_LARGE
            if kept is self._of_several:
                self._bytes += _size(answer)
                while self._bytes > _MOST:
                    self._bytes -= _size(self._of_several.popitem(last=False)[1])
            return answer
        return kept[key]

    def cost(self, place: int) -> float:
        """How many milliseconds a case takes, about; the same in every run.

        What explains a submission is found for so many. They leave out what it takes to make a
        module without weights, of which few faults are asked: it would cost names.
        """
        made = self.cases[place].question.target
        loaded = isinstance(made, Blueprint) and made.weights is not None
        return self.asking(place) + (self.making(place) if loaded else 0.0)

    def _asking(self, place: int) -> float:
        """How many of them it takes once its module is made."""
        case, component = self.cases[place], self._of[place]
        if case.is_value or component is None:
            return _MS_COMPARING
        how = case.question.how
        counting = replace(case.question, how=replace(how, count=True))
        calls = self.ask_fault(component, (), replace(case, question=counting)).operations
        times = _ELSEWHERE if how.elsewhere else _BACKWARDS if how.cotangents is not None else 1
        return (
            _MS_COMPARING + _MS + _MS_PER_CALL * times * calls + _MS_PER_MEGABYTE * case.size / 1e6
        )

    def _making(self, place: int) -> float:
        """How many of them it takes to make the module that is asked."""
        made = self.cases[place].question.target
        if not isinstance(made, Blueprint):
            return 0.0
        if made.weights is not None:
            return _MS_PER_PARAMETER * len(made.weights)
        return _MS_PER_UNLOADED * len(self.shapes_of(made, ()) or ())

    def shows(self, component: Component, fault: Fault) -> Counter[str]:
        """In how many cases of which item a fault changes the answer: what it should say."""
        return Counter(
            self.cases[place].item
            for place in self.cases_of(component)
            if not self.is_right(place, self.answer(component, (fault,), place))
        )

    def is_right(self, place: int, answer: Answer) -> bool:
        """Whether an answer to a case is the reference's."""
        return same(answer, self.cases[place].right, self.cases[place])

    def ask_fault(self, component: Component, faults: Faults, case: Case) -> Answer:
        """Let a component with these faults, in it and in its parts, answer a case."""
        own = tuple(each for each in faults if each.component == component.name)
        if case.is_value:
            return component.value(own, case.question.name)
        parts = []
        for part in self.every:
            theirs = tuple(each for each in faults if each.component == part.name)
            if theirs and part is not component:
                parts.append((part, theirs))
        return component.answer(own, case.question, parts)

    def shapes_of(self, module: Blueprint, faults: Faults) -> dict[str, tuple[int, ...]] | None:
        """The shapes of a module's parameters with these faults; None where it cannot be made."""
        component = of_name(self.components, module.name)
        if component is None:
            return None
        question = Question(module.without_loading().of("state_dict"))
        made = self.ask_fault(component, faults, Case("", question, Answer(None), 1.0)).value
        if not isinstance(made, Mapping):
            return None
        return {name: tuple(each.shape) for name, each in made.items()}

    def _matters(self, fault: Fault, component: Component, case: Case) -> bool:
        home = of_name(self.every, fault.of[0]) if case.is_of_state else None
        if home and home.is_module and not home.makes_other(fault):
            return False  # it shows in calls alone
        if fault.component == component.name or not component.needs.isdisjoint(fault.of):
            return True
        parts = (*case.question.args, *case.question.kwargs.values())
        return any(isinstance(each, Blueprint) for each in parts)  # built on who knows what


def _may_differ(case: Case, answer: Answer) -> bool:
    """Whether checks accept other answers: what is drawn, or has more before a call as well."""
    is_compared = case.is_of_state and case.is_parameters
    has_more = case.gives_state and shapes(case.right) < shapes(answer)
    return case.draws or (has_more and not is_compared)


def _alone(answer: Answer) -> Answer:
    """The answer without the graphs and modules that made it, which its tensors keep alive."""
    return replace(
        answer,
        value=_apart(answer.value),
        gradients=_apart(answer.gradients),
        read=_apart(answer.read),
    )


def _apart(value: Any) -> Any:
    if type(value) in (tuple, list):
        return type(value)(map(_apart, value))
    if isinstance(value, Mapping):
        return {name: _apart(each) for name, each in value.items()}
    if isinstance(value, torch.Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad)
    return value


def _size(answer: Answer) -> int:
    """The bytes that it takes, about."""
    each_takes = (each.numel() * each.element_size() for each in tensors_of(answer))
    return _OVERHEAD + sum(_OVERHEAD + each for each in each_takes)


def _asked(student: RemoteStudent, case: Case) -> Answer:
    return ask(student, case) if case.at < 0 else told_by(lambda: student.answer_to(case.at))
