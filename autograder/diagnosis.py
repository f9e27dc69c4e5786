"""Which faults explain a submission's answers: the numbers decide, and it speaks only when they do.

The faults of a component are asked what the submission was asked. One that answers the same, to
what the item allows, in every case, explains it, if it is far enough from what is right. Single
faults go before pairs. What explains all that is known of a component is preferred to what
explains one item; when several do, all are named, or none.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations

import torch

from autograder.bank import Component, Fault, Faults, Others, combine, of_name
from autograder.evidence import Case, apart, ask, same, told_by
from autograder.remote import RemoteStudent
from autograder.sandbox.failure import Failure
from autograder.sandbox.modules import Blueprint
from autograder.sandbox.session import Answer

_LARGEST = 1 << 24  # bytes of an answer that is remembered
_TOO_LARGE = Answer(None, failure=Failure("an answer that is too large", ""))
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

    def cost(self, component: Component, place: int) -> float:
        """The seconds that it takes, about, to ask all of its faults a case, but for the known."""
        keys = ((component.name, (each,), (), place) for each in component.faults)
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

    def diagnose(
        self, answers: Mapping[int, Answer], failed: Collection[str]
    ) -> dict[str, Diagnosis]:
        """Explain the failed items; those that nothing explains are left out.

        answers: the submission's, by place among the cases.
        """
        with _one_thread():
            return self._diagnose(answers, failed)

    def _diagnose(
        self, answers: Mapping[int, Answer], failed: Collection[str]
    ) -> dict[str, Diagnosis]:
        found: dict[str, Diagnosis] = {}
        others: list[tuple[Component, Faults]] = []
        for component in self.components:
            items = {self.cases[place].item for place in self.cases_of(component)}
            if items.isdisjoint(failed):  # what else went wrong was another component's doing
                continue
            search = _Search(self, component, answers, tuple(others))
            whole = search.explain(search.places)
            wrong = dict.fromkeys(self.cases[place].item for place in search.wrong)
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


def _size(answer: Answer) -> int:
    """The bytes of its tensors."""
    parts = [answer.value, *answer.gradients, *answer.read]
    flat = [x for each in parts for x in (each if isinstance(each, (tuple, list)) else [each])]
    return sum(each.nbytes for each in flat if isinstance(each, torch.Tensor))


def _joined(one: Diagnosis | None, other: Diagnosis) -> Diagnosis:
    """Two components that fail in one item."""
    if one is None:
        return other
    both = tuple(dict.fromkeys(one.faults + other.faults))
    return Diagnosis(both, one.cases + other.cases)


def _asked(student: RemoteStudent, case: Case) -> Answer:
    return ask(student, case) if case.at < 0 else told_by(lambda: student.answer_to(case.at))


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
        wrong = [each for each in places if not self._agrees((), each, ())]
        # What is found does not depend on the order; how soon it is found does.
        self.wrong = sorted(wrong, key=lambda place: bank.cost(component, place))
        self.places = self.wrong + [each for each in places if each not in self.wrong]

    def _agrees(self, faults: Faults, place: int, others: Others | None = None) -> bool:
        others = self._others if others is None else others
        answer = self._bank.answer(self._component, faults, place, others)
        return same(self._answers[place], answer, self._bank.cases[place])

    def explain(self, places: Sequence[int]) -> list[Faults]:
        """The fewest faults that give all of these answers: every such choice of them."""
        if all(self._agrees((), place) for place in places):
            return [()]
        singles = [(each,) for each in self._component.faults]
        return self._fitting(singles, places) or self._fitting(self._component.pairs, places)

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
        told = tuple(dict.fromkeys(_all_of(e.faults for e in known.values() if not e.alternatives)))
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


def _all_of(choices: Iterable[Faults]) -> Iterable[Fault]:
    return (each for faults in choices for each in faults)
