"""What calls leave behind: a mistake that shows after other calls, and not in the first one.

An attribute of the class, a cache, a default that is changed, a global: what answers hang on then
is the answer of no known mistake, for these answer every question by itself. So what was answered
wrong is asked once more, each question of a process of which nothing else is asked.
"""

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial

from autograder.asking import RemoteStudent
from autograder.diagnosis import Accepted, Bank, Case, same, told_by
from autograder.sandbox.modules import Blueprint
from autograder.sandbox.session import Answer

_PROBES = 2  # of an item: if neither is right then, something else is wrong in it
_MOST = 60  # questions of one submission: each takes a process
_TIMES = 3  # each is asked, where an item has few: what is drawn may be right by luck
_FEW = 3
_SECONDS = 10.0  # that all of them may take: usually it is one or two


class _TooLong(Exception):
    """The questions took longer than they may."""


@dataclass(frozen=True)
class Leftover:
    """Something is left from call to call.

    items: that it touches; in_part: those in which something else is wrong, too; questions: how
    many are right without it; others: the items in which none is, but something else comes;
    of_modules: those whose modules are made once for several questions: where an edit keeps one
    from being used again, that alone may make these right.
    """

    items: tuple[str, ...]
    in_part: frozenset[str]
    questions: int
    others: frozenset[str] = frozenset()
    of_modules: frozenset[str] = frozenset()

    def beside(self, named: Iterable[str]) -> "Leftover":
        """The same, where what else is wrong in some items is known: what is left is not that."""
        more = [each for each in named if each in self.others]
        return replace(self, items=(*self.items, *more), in_part=self.in_part.union(more))

    def has(self, items: Collection[str]) -> bool:
        """Whether it touches all of these."""
        return set(items) <= set(self.items)

    @property
    def said(self) -> str:
        """What the student reads of it."""
        return (
            "What it gives hangs on the calls before: something is left from one call, or from one "
            "module, to the next."
        )

    @property
    def proof(self) -> str:
        """What the numbers say."""
        if not self.questions:
            return "In processes of their own the same calls give something else."
        one = self.questions == 1
        calls = "a call that is" if one else f"{self.questions} calls that are"
        return f"Each in a process of its own, {calls} wrong here {'is' if one else 'are'} right."


@dataclass(frozen=True)
class Afresh:
    """What a submission answers without what other calls leave.

    answers: by place, of what was asked; leftover: what is wrong, if anything is other then; left:
    the items in which something else is wrong, too.
    """

    answers: Mapping[int, Answer]
    leftover: Leftover | None = None
    left: tuple[str, ...] = ()


def asked_afresh(
    bank: Bank,
    answers: Mapping[int, Answer],
    items: Collection[str],
    student: Callable[[], RemoteStudent],
) -> Afresh:
    """What is right of these items once each question is the first of its process.

    answers: by place, as they were given; student: the submission in a fresh process, where its
    cells are run again: nothing is told of whose cells take too long for that.
    """
    wrong: dict[str, list[int]] = {}
    for place, answer in answers.items():
        case = bank.cases[place]
        accepted = isinstance(answer, Accepted) or bank.is_right(place, answer)
        if case.item in items and not (case.is_value or accepted):
            wrong.setdefault(case.item, []).append(place)
    found: dict[int, Answer] = {}
    until = time.monotonic() + _SECONDS

    @cache
    def is_right(place: int) -> bool:
        few = len(wrong[bank.cases[place].item]) < _FEW
        for _ in range(_TIMES if few else 1):
            if time.monotonic() > until:
                raise _TooLong
            found[place] = _asked(student(), bank.cases[place])
            if not bank.is_right(place, found[place]):
                return False
        return True

    def is_other(place: int) -> bool:
        return is_right(place) or not same(found[place], answers[place], bank.cases[place])

    probes = (x for each in wrong.values() for x in each[:: max(1, len(each) - 1)][:_PROBES])
    rights: dict[str, list[bool]] = {}
    try:
        for item, places in wrong.items() if any(map(is_other, probes)) else ():
            if len(found) + len(places) <= _MOST:
                rights[item] = [is_right(place) for place in places]
    except _TooLong:
        rights.clear()
    if not rights:
        return Afresh({})
    touched = tuple(item for item, each in rights.items() if any(each))
    left = tuple(item for item, each in rights.items() if not all(each))
    others = frozenset(x for x in left if x not in touched and any(map(is_other, wrong[x])))
    questions = sum(sum(each) for each in rights.values())
    made = (item for item in rights if any(map(partial(_is_of_a_module, bank), wrong[item])))
    how = frozenset(left), questions, others, frozenset(made)
    return Afresh(found, Leftover(touched, *how), left)


def _is_of_a_module(bank: Bank, place: int) -> bool:
    return isinstance(bank.cases[place].question.target, Blueprint)


def _asked(student: RemoteStudent, case: Case) -> Answer:
    """What a case is answered; nothing by whom nobody watches any more."""

    def answer() -> Answer:
        found = student.ask(case.question)
        if error := student.unguarded():
            raise error
        return found

    with student:
        return told_by(answer)
