"""Which line of a submission's own code a mistake stands in, found by repairing it.

Edits of a solution cell are tried, the smallest first. One after which everything that is known of
the cell is right, or all of one item and nothing worse than before, proves that the mistake stands
where it was made. When edits of one size do so in different lines, nothing is proven.
"""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from torch import Tensor

from autograder.asking import RemoteStudent
from autograder.diagnosis import Case, same
from autograder.notebooks import Source, Submission
from autograder.repair.edits import TIERS, Edit, edits
from autograder.repair.located import Located
from autograder.repair.trying import Trials, is_right, with_cell
from autograder.repair.view import View
from autograder.sandbox.session import Answer

# Counts, not seconds, decide what is found: that must not hang on how busy a machine is.
_MOST_TRIED = 1200  # edits for one mistake
_MOST_DEATHS = 6  # of processes that edits ended, each of which takes a while to see
_ENOUGH = 2  # of these in one line: it is a loop
_FIRSTS = 5  # cases by which an edit is seen to be worth more questions, one after the other
_SOONEST = TIERS[:2]  # by all but the first of them
_ROUNDS = 3  # so many mistakes of one cell are looked for, one after the other

StudentOf = Callable[[Submission], RemoteStudent]


def locate(
    submission: Submission,
    source: Source,
    cases: Sequence[Case],
    answers: Mapping[int, Answer],
    failed: Collection[str],
    student_of: StudentOf,
    seconds: float,
) -> list[Located]:
    """Where the mistakes of a submission stand, as far as repairs prove it.

    answers: the submission's, by place among the cases; a case that has none is not looked at.
    failed: the items to look at. student_of: puts a submission behind the walls; one is there at
    a time. seconds: of wall time, at most.
    """
    wrong = {at for at, each in answers.items() if not same(each, cases[at].right, cases[at])}
    until = time.monotonic() + seconds
    search = _Search(submission, source, cases, answers, wrong, student_of, until)
    cells = [cell.name for cell in submission.cells if cell.solution]
    wrong_cells = [cell for cell in cells if search.numbers_wrong(cell, failed)]
    for tiers in (_SOONEST, TIERS) if len(wrong_cells) > 1 else (TIERS,):
        for cell in wrong_cells:
            search.look_at(cell, failed, tiers)
    return search.found


@dataclass(frozen=True)
class _Proof:
    """What an edit makes right: items, the cases that were wrong, all that is known of the cell."""

    edit: Edit
    places: Sequence[int]  # as they were asked
    items: tuple[str, ...]
    mended: frozenset[int]
    whole: bool


@dataclass
class _Search:
    submission: Submission  # with what was found put right
    source: Source
    cases: Sequence[Case]
    answers: Mapping[int, Answer]
    wrong: set[int]
    student_of: StudentOf
    until: float
    tried: int = 0
    found: list[Located] = field(default_factory=list)

    def numbers_wrong(self, cell: str, failed: Collection[str]) -> bool:
        """Whether numbers are wrong in these items about a cell: without, nothing is proven."""
        wrong = [at for at in self._places(cell) if at in self.wrong]
        return any(self.cases[at].item in failed and self._is_numeric(at) for at in wrong)

    def look_at(self, cell: str, failed: Collection[str], tiers: Sequence[int]) -> None:
        """Look for the mistakes of one cell, one after the other, among the edits of these tiers.

        Among the first tiers alone, only for what makes everything right.
        """
        for _ in range(_ROUNDS):
            self.tried = 0
            if not self.numbers_wrong(cell, failed):
                return
            places = self._places(cell)
            proof = self._repair(cell, places, tiers)
            if proof is None:
                return
            edit = proof.edit
            told = edit.line, edit.source, edit.what, edit.missing
            self.found.append(Located(cell, *told, proof.items, proof.whole))
            self.submission = with_cell(self.submission, cell, edit.text)
            self.wrong -= proof.mended
            self._ask_others()

    def _ask_others(self) -> None:
        """Ask again what else was wrong: what builds on the repaired cell may be right by now."""
        left = sorted(self.wrong, key=lambda at: self.cases[at].size)
        if left:
            with self.student_of(self.submission) as student:
                self.wrong -= {at for at in left if is_right(student, self.cases[at])}

    def _places(self, cell: str) -> list[int]:
        """The cases about what a cell defines: the wrong ones first, the smallest of each first."""
        of = self.source.defined_in
        own = [at for at in self.answers if of.get(self.cases[at].question.name) == cell]
        return sorted(own, key=lambda at: (at not in self.wrong, self.cases[at].size, at))

    def _repair(self, cell: str, places: Sequence[int], tiers: Sequence[int]) -> _Proof | None:
        """The edit that proves where a mistake of the cell stands, if one does."""
        solutions = (each for each in self.submission.cells if each.solution)
        try:
            view = View(next(each.source for each in solutions if each.name == cell))
        except ValueError:
            return None
        with Trials(self.student_of, self.submission, cell) as trials:
            parts: list[_Proof] = []
            for number, first in enumerate(self._firsts(places)):
                ordered = [first, *(at for at in places if at != first)]
                these = tiers if number == 0 else _SOONEST
                proofs = self._search(trials, view, ordered, these)
                parts += proofs if tiers is TIERS else []
                if any(each.whole for each in proofs):
                    parts = [each for each in proofs if each.whole]
                    break
            chosen = _choose(parts)
            if chosen is None:
                return None
            cases = (self.cases[at] for at in chosen.places)
            return self._proof(
                chosen.edit, chosen.places, trials.ask_alone(chosen.edit.text, cases)
            )

    def _firsts(self, places: Sequence[int]) -> list[int]:
        """The smallest wrong case of each item: of two mistakes, one may show alone in some."""
        first: dict[str, int] = {}
        for at in places:
            if at in self.wrong and self.cases[at].right.failure is None:
                first.setdefault(self.cases[at].item, at)
        return list(first.values())[:_FIRSTS]

    def _search(
        self, trials: Trials, view: View, places: Sequence[int], tiers: Iterable[int]
    ) -> list[_Proof]:
        """The edits of the lowest tier that make everything right; if none does, all that count."""
        raised = self._raised(trials.cell, places[0])
        view.learn(trials.kinds(view, self.cases[places[0]]), raised)
        parts: list[_Proof] = []
        for tier in tiers:
            ordered = sorted(edits(view, tier), key=lambda each: each.line != raised)
            proofs = list(self._proofs(trials, ordered, places))
            parts += proofs
            if any(each.whole for each in proofs) or self._is_spent(trials):
                break
        return parts

    def _raised(self, cell: str, place: int) -> int | None:
        """The line of the cell that raised an exception when a case was asked."""
        failure = self.answers[place].failure
        return failure.line if failure is not None and failure.cell == cell else None

    def _is_spent(self, trials: Trials) -> bool:
        too_many = self.tried >= _MOST_TRIED or trials.deaths > _MOST_DEATHS
        return too_many or time.monotonic() > self.until

    def _proofs(
        self, trials: Trials, these: Iterable[Edit], places: Sequence[int]
    ) -> Iterator[_Proof]:
        done: Counter[int] = Counter()
        for edit in these:
            if self._is_spent(trials):
                return
            if done[edit.line] < _ENOUGH:
                self.tried += 1
                before = trials.deaths
                asked = trials.ask(edit.text, (self.cases[at] for at in places))
                proof = self._proof(edit, places, asked)
                done[edit.line] += trials.deaths - before
                if proof is not None:
                    yield proof
                    if proof.whole:  # nothing can be better here: is another line as good?
                        done[edit.line] = _ENOUGH

    def _proof(self, edit: Edit, places: Sequence[int], asked: Iterable[bool]) -> _Proof | None:
        """What an edit proves: `asked` tells which of these cases are right with it."""
        right: list[int] = []
        lost: set[str] = set()
        asked_for = 0
        for at, each in zip(places, asked, strict=False):
            asked_for += 1
            if each:
                right.append(at)
            elif at not in self.wrong or not right:  # it breaks something, or mends not the first
                return None
            else:
                lost.add(self.cases[at].item)
        if asked_for < len(places):  # its process ended
            return None
        mended = frozenset(at for at in right if at in self.wrong)
        items = dict.fromkeys(self.cases[at].item for at in mended)
        made = tuple(item for item in items if item not in lost)
        if any(self._is_numeric(at) for at in mended if self.cases[at].item in made):
            return _Proof(edit, places, made, mended, not lost)
        return None

    def _is_numeric(self, at: int) -> bool:
        """Whether numbers were wrong in a case, not a property such as what was written to."""
        case, answer = self.cases[at], self.answers[at]
        if case.right.failure is not None or case.drawn or not _has_numbers(case.right):
            return False
        numbers = {"value": answer.value, "gradients": answer.gradients, "read": answer.read}
        with_theirs = replace(case.right, **numbers, failure=answer.failure)
        return not same(with_theirs, case.right, case)


def _has_numbers(answer: Answer) -> bool:
    several = isinstance(answer.value, (tuple, list))
    parts = [*(answer.value if several else [answer.value]), *answer.gradients, *answer.read]
    return any(isinstance(each, (Tensor, float)) for each in parts)


def _choose(proofs: Sequence[_Proof]) -> _Proof | None:
    """The smallest edit that mends most; None when there is none, or several in different lines.

    Of two lines, it is the one that then would read as another line of the cell does.
    """
    order = sorted(proofs, key=lambda each: (-len(each.mended), each.edit.tier))
    best = [
        each
        for each in order
        if len(each.mended) == len(order[0].mended) and each.edit.tier == order[0].edit.tier
    ]
    if len({each.edit.line for each in best}) > 1:
        best = [each for each in best if each.edit.has_sister]
    return best[0] if len({each.edit.line for each in best}) == 1 else None
