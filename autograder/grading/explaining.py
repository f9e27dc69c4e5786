"""Why items failed, as far as it can be proven; and what the mistakes cost.

First come the mistakes that are known; then a repair of the student's own code, for what these do
not explain or hide; last, what is known all the same.
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, Protocol

from autograder.asking import RemoteStudent
from autograder.checking import CheckOutcome
from autograder.course import ItemResult, Mistake
from autograder.diagnosis import (
    Alone,
    Diagnosis,
    Inquiry,
    all_of,
    ask,
    cannot_be_loaded,
    diagnose,
    diagnose_fitted,
    explain_crowded,
    known,
    one_thread,
    settled,
)
from autograder.grading.behind import TO_DIAGNOSE, Behind, with_outcomes
from autograder.grading.charge import charge_once, charge_proven
from autograder.grading.exam import Exam
from autograder.grading.judge import explained
from autograder.grading.leftover import Leftover, asked_afresh
from autograder.grading.mistakes import mistakes_of
from autograder.notebooks import Submission
from autograder.repair import KEPT, Located, Purse, Repairs, Undone, joined, locate, mended, undone
from autograder.sandbox.session import Answer


class StudentOf(Protocol):
    """Gives a submission behind the walls, for the time that is left to it."""

    def __call__(self, other: Submission, given: Sequence[str] = ()) -> RemoteStudent:
        """given: names that are to be had beside its own."""


@dataclass
class Explaining:
    """What the failed items of one submission are told.

    answers: by place among the bank's cases; behind: the submission with earlier parts replaced;
    until: when to stop, on the monotonic clock.
    """

    exam: Exam
    submission: Submission
    outcomes: Sequence[CheckOutcome]
    answers: Mapping[int, Answer]
    behind: Sequence[Behind]
    student_of: StudentOf
    until: float

    def explain(self, items: Sequence[ItemResult]) -> tuple[list[ItemResult], tuple[Mistake, ...]]:
        """The items with what is told of each and what they cost; and the mistakes."""
        with one_thread():
            return self._explain(items)

    def _explain(self, items: Sequence[ItemResult]) -> tuple[list[ItemResult], tuple[Mistake, ...]]:
        found, views = self._diagnoses(items)
        seen = [self._seen(item, views) for item in items]
        told, payers = self._charged(seen, found, views)
        paid, assignment = set(payers.values()), self.exam.assignment
        wrong = (each.item for each in told if each.verdict in TO_DIAGNOSE)
        left = [x for x in wrong if x not in paid or (x in found and found[x].partly)]
        leftover, afresh = self._afresh(left, views)
        more = self._named(afresh, "nothing is left from call to call", found)
        leftover = [x for each in leftover if (x := each.beside(more)).items]
        left = [x for x in left if x not in more]
        found, repairs = found | more, Repairs()
        blind = {x for each in leftover for x in each.of_modules.intersection(each.items)}
        sought = [x for x in left if x not in blind] if assignment.locate else []
        located = self._located(sought, views, found, repairs)
        hidden = self._hidden(left, located, repairs, views)
        if more := more | self._named(hidden, _mended(repairs), found):
            found |= more
            told, payers = self._charged(seen, found, views | afresh | hidden)
        proven: list[Located | Leftover] = [*located, *leftover]
        if assignment.charge == "once":
            paid = set(payers.values())
            told = charge_proven(told, proven, paid, assignment.carried_share)
        told = self._with_what_is_known(told, found, views, proven)
        outcomes, undone = with_outcomes(self.outcomes, views), self._undone(left)
        return told, mistakes_of(told, outcomes, found, payers, located, leftover, undone)

    def _diagnoses(
        self, items: Sequence[ItemResult]
    ) -> tuple[dict[str, Diagnosis], dict[str, Behind]]:
        """What explains items; and behind which earlier parts those are that these hide."""
        views: dict[str, Behind] = {}
        found: dict[str, Diagnosis] = {}
        for view in self.behind:  # what earlier parts hide is alone there
            hidden = view.failed(found, self.exam.bank.cases)
            views |= dict.fromkeys(hidden, view)
            found |= self._diagnosed(hidden, view, found)
        wrong = [x.item for x in items if x.verdict in TO_DIAGNOSE]
        found = self._diagnosed([x for x in wrong if x not in views], None, found) | found
        found = settled(found)
        for seen in (None, *self.behind):
            some = [x for x in wrong if views.get(x) is seen]
            found = explain_crowded(self.exam.bank, self._answers(seen), some, found)
        return found, views

    def _diagnosed(
        self, items: Sequence[str], view: Behind | None, before: Mapping[str, Diagnosis]
    ) -> dict[str, Diagnosis]:
        """What explains items as they are in a view. before: what explains others."""
        bank, answers = self.exam.bank, self._answers(view)
        known = tuple(dict.fromkeys(all_of(each.certain for each in before.values())))
        found = diagnose(bank, answers, items, known) if items else {}
        if found and any(map(cannot_be_loaded, answers.values())):
            with self._student(view) as student:
                fitted = diagnose_fitted(bank, answers, found, lambda case: ask(student, case))
                found = found if student.unguarded() else fitted
        return found

    def _answers(self, view: Behind | None) -> Mapping[int, Answer]:
        return view.answers if view else self.answers

    def _student(self, view: Behind | None) -> RemoteStudent:
        return self.student_of(*((view.submission, view.given) if view else (self.submission,)))

    def _seen(self, item: ItemResult, views: Mapping[str, Behind]) -> ItemResult:
        if item.item not in views:
            return item
        return views[item.item].judged(self.exam.assignment.item(item.item), item)

    def _charged(
        self,
        items: Sequence[ItemResult],
        found: Mapping[str, Diagnosis],
        views: Mapping[str, Behind],
    ) -> tuple[list[ItemResult], dict[str, str]]:
        """The items with what explains them and what that costs; and which item pays for what."""
        items, assignment = explained(items, found), self.exam.assignment
        if not found or assignment.charge != "once":
            return items, {}
        opened: dict[Behind | None, RemoteStudent] = {}
        with ExitStack() as students:

            def student(view: Behind | None) -> RemoteStudent:
                if view not in opened:  # a server has one at a time
                    students.close()
                    opened.clear()
                    opened[view] = students.enter_context(self._student(view))
                return opened[view]

            @cache
            def alone(view: Behind | None) -> Alone:
                asked = self._answers(view), lambda case: ask(student(view), case)
                return Alone(self.exam.bank, *asked)

            def fails_alone(item: str, why: Diagnosis) -> bool:
                faults, view = (*why.faults, *why.styles), views.get(item)
                roughly = why.loosely or why.in_other_words
                so = alone(view).fails_through(faults, item, roughly)
                return so and not (view in opened and opened[view].unguarded())

            return charge_once(items, found, fails_alone, assignment.carried_share)

    def _afresh(
        self, items: Sequence[str], views: Mapping[str, Behind]
    ) -> tuple[list[Leftover], dict[str, Behind]]:
        """What calls leave behind; and the items with more wrong in them, as without that."""
        found, rest = list[Leftover](), dict[str, Behind]()
        for view in dict.fromkeys(map(views.get, items)):
            some, answers = [x for x in items if views.get(x) is view], self._answers(view)
            afresh = asked_afresh(self.exam.bank, answers, some, partial(self._student, view))
            found += filter(None, [afresh.leftover])
            submission, given = (view.submission, view.given) if view else (self.submission, ())
            there = Behind(submission, given, (), {**answers, **afresh.answers})
            rest |= dict.fromkeys(afresh.left, there)
        return found, rest

    def _located(
        self,
        items: Sequence[str],
        views: Mapping[str, Behind],
        known: Mapping[str, Diagnosis],
        repairs: Repairs,
    ) -> list[Located]:
        """Where the mistakes stand, each item seen where no earlier part hides its own."""
        looks = {view: [x for x in items if views.get(x) is view] for view in (None, *self.behind)}
        looks = {view: some for view, some in looks.items() if some}
        purse, found = Purse(self.until), list[Located]()
        for done, (view, some) in enumerate(looks.items(), 1):
            purse.kept = KEPT * (len(looks) - done)
            found += self._located_behind(view, some, purse, known, repairs)
        return [self._with_what_is_named(each, known) for each in joined(found)]

    def _with_what_is_named(self, line: Located, known: Mapping[str, Diagnosis]) -> Located:
        """With the items, too, that a known mistake explains, where that is the same mistake."""
        cells = {
            item: {self.exam.source.defined_in.get(fault.of[0]) for fault in each.all_faults}
            for item, each in known.items()
            if line.mends_all and not each.partly and item not in line.items
        }
        more = [item for item, theirs in cells.items() if theirs == {line.cell}]
        return replace(line, items=(*line.items, *more))

    def _located_behind(
        self,
        view: Behind | None,
        items: Sequence[str],
        purse: Purse,
        known: Mapping[str, Diagnosis],
        repairs: Repairs,
    ) -> list[Located]:
        submission, replaced = (view.submission, view.given) if view else (self.submission, ())

        def student_of(other: Submission, given: Sequence[str] = ()) -> RemoteStudent:
            return self.student_of(other, (*replaced, *given))

        exam = self.exam
        asked = exam.source, exam.bank, self._answers(view), items, student_of, purse
        return locate(submission, *asked, known, repairs)

    def _hidden(
        self,
        items: Sequence[str],
        located: Sequence[Located],
        repairs: Repairs,
        views: Mapping[str, Behind],
    ) -> dict[str, Behind]:
        """The items that nothing explains whole, as they are once the lines found are right."""
        lines = {item for each in located for item in each.items}
        left = [x for x in items if repairs and x not in lines]
        hidden: dict[str, Behind] = {}
        for view in dict.fromkeys(views.get(item) for item in left):
            submission, given = (view.submission, view.given) if view else (self.submission, ())
            submission = mended(submission, repairs)
            some = [item for item in left if views.get(item) is view]
            with self.student_of(submission, given) as student:
                student.run()
                answers = self.exam.bank.ask(student, self.outcomes, some)
                answers = {} if student.unguarded() else answers
            hidden |= dict.fromkeys(some, Behind(submission, tuple(given), (), answers))
        return hidden

    def _named(
        self, hidden: Mapping[str, Behind], once: str, known: Mapping[str, Diagnosis]
    ) -> dict[str, Diagnosis]:
        """What explains them then. once: what was done first; known: what explains others."""
        found: dict[str, Diagnosis] = {}
        for view in dict.fromkeys(hidden.values()):
            some = [item for item in hidden if hidden[item] is view]
            found |= self._diagnosed(some, view, known)
            told = explain_crowded(self.exam.bank, view.answers, some, {**known, **found})
            found = {item: told[item] for item in hidden if item in told}
        return {item: replace(each, once=once) for item, each in found.items()}

    def _undone(self, items: Sequence[str]) -> dict[str, Undone]:
        """Of each item a line that does nothing, in the cells that it asks about."""
        exam, found = self.exam, dict[str, Undone]()
        if not exam.assignment.locate:
            return found
        lines = [undone(each.name, each.source) for each in self.submission.cells if each.solution]
        by_cell = {each.cell: each for each in lines if each}
        for case in exam.bank.cases:
            cell = exam.source.defined_in.get(case.question.name, "")
            if case.item in items and cell in by_cell:
                found.setdefault(case.item, by_cell[cell])
        return found

    def _with_what_is_known(
        self,
        items: Sequence[ItemResult],
        found: Mapping[str, Diagnosis],
        views: Mapping[str, Behind],
        proven: Sequence[Located | Leftover],
    ) -> list[ItemResult]:
        told: dict[str, dict[str, Any]] = {x: {"hint": None} for each in proven for x in each.items}
        explained = {*found, *told}  # who knows the line needs no hint, either
        wrong = [each.item for each in items if each.verdict in TO_DIAGNOSE]
        for seen in (None, *self.behind):
            left = [x for x in wrong if x not in explained and views.get(x) is seen]
            if left:
                with self._student(seen) as student:
                    exam, answers = self.exam, self._answers(seen)
                    asking = Inquiry(student, exam.reference, exam.source.parameters)
                    about = left, exam.bank.cases, answers, asking, exam.source.defined_in
                    more = known(*about, exam.symptoms)
                    told |= {item: each._asdict() for item, each in more.items()}
        return [item.model_copy(update=told.get(item.item)) for item in items]


def _mended(repairs: Repairs) -> str:
    """What they do, in words."""
    lines = dict.fromkeys(f"line {edit.line} of the cell {cell}" for cell, edit in repairs)
    return f"{' and '.join(lines)} {'is' if len(lines) == 1 else 'are'} put right"
