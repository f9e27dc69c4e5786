"""The bank of faults: the components of an assignment, and what they answer to its checks."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

import torch

from autograder.asking import RemoteStudent
from autograder.diagnosis.components import Component, Fault, Faults, Others, of_name
from autograder.diagnosis.evidence import Case, ask, same, told_by
from autograder.sandbox.failure import Failure
from autograder.sandbox.modules import Blueprint
from autograder.sandbox.session import Answer

_LARGEST = 1 << 24  # bytes of an answer that is remembered
_TOO_LARGE = Answer(None, failure=Failure("an answer that is too large", ""))


class Bank:
    """The components of an assignment, and what their faults answer to the cases of its checks."""

    def __init__(self, components: Sequence[Component], cases: Sequence[Case]) -> None:
        self.components = components
        self.cases = cases
        self._answers: dict[tuple[str, Faults, tuple[Faults, ...], int], Answer] = {}
        self._of = [of_name(components, each.question.name) for each in cases]

    def ask(self, student: RemoteStudent, failed: Collection[str]) -> dict[int, Answer]:
        """A submission's answers about every component that failed items look at, by place."""
        looked_at = {self._of[at] for at, each in enumerate(self.cases) if each.item in failed}
        return {
            place: _asked(student, self.cases[place])
            for component in self.components
            if component in looked_at
            for place in self.cases_of(component)
        }

    def cases_of(self, component: Component) -> list[int]:
        """The cases that look at a component."""
        found = [place for place, each in enumerate(self._of) if each is component]
        return [place for place in found if not self.cases[place].counts_calls]

    def answer(
        self, component: Component, faults: Faults, place: int, others: Others = ()
    ) -> Answer:
        """What a component with these faults answers to a case."""
        case = self.cases[place]
        if not faults and not others:
            return case.right
        others = [each for each in others if self._matters(each[0], component, case)]
        key = component.name, faults, tuple(theirs for _, theirs in others), place
        if key not in self._answers:
            answer = self.ask_fault(component, faults, case, others)
            self._answers[key] = answer if _size(answer) <= _LARGEST else _TOO_LARGE
        return self._answers[key]

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

    def cost(self, component: Component, faults: Iterable[Fault], place: int) -> float:
        """The seconds that it takes, about, to ask these a case, but for what is remembered."""
        keys = ((component.name, (each,), (), place) for each in faults)
        return self.cases[place].seconds * sum(each not in self._answers for each in keys)

    @staticmethod
    def ask_fault(component: Component, faults: Faults, case: Case, others: Others = ()) -> Answer:
        """Let a component with these faults answer a case."""
        if case.is_value:
            return component.value(faults, case.question.name)
        return component.answer(faults, case.question, others)

    @staticmethod
    def _matters(other: Component, component: Component, case: Case) -> bool:
        parts = (*case.question.args, *case.question.kwargs.values())
        modules = any(isinstance(each, Blueprint) for each in parts)  # built on who knows what
        return modules or not component.needs.isdisjoint(other.of)


def _size(answer: Answer) -> int:
    """The bytes of its tensors."""
    parts = [answer.value, *answer.gradients, *answer.read]
    flat = [x for each in parts for x in (each if isinstance(each, (tuple, list)) else [each])]
    return sum(each.nbytes for each in flat if isinstance(each, torch.Tensor))


def _asked(student: RemoteStudent, case: Case) -> Answer:
    return ask(student, case) if case.at < 0 else told_by(lambda: student.answer_to(case.at))
