"""Which line of a submission's own code a mistake stands in, found by repairing it.

Edits of a solution cell are tried, the smallest first. One after which everything that is known of
the cell is right, or all of one item and nothing worse than before, proves that the mistake stands
where it was made. When several do, in different lines, nothing is proven.
"""

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from autograder.asking import RemoteStudent
from autograder.diagnosis import Case, same
from autograder.notebooks import Source, Submission
from autograder.repair.edits import TIERS, Edit, edits
from autograder.repair.trying import Trials, is_right, with_cell
from autograder.repair.view import View
from autograder.sandbox.session import Answer

DEBUG=[]
_MOST_TRIED = 1500  # edits of a submission
_ROUNDS = 3  # so many mistakes may stand in one cell


@dataclass(frozen=True)
class Located:
    """Where a mistake stands, proven by an edit there.

    line: of the cell, from 1; source: that line; what: the piece of code in it; missing: it is
    not wrong, but something is not there; items: those that are right after the edit; whole:
    whether all that is known of the cell is.
    """

    cell: str
    line: int
    source: str
    what: str
    missing: bool
    items: tuple[str, ...]
    whole: bool

    def __str__(self) -> str:
        """What the student reads."""
        where = f"line {self.line} of the cell {self.cell}, `{self.what}`"
        right = "everything that is asked of this cell" if self.whole else "all of this"
        if self.missing:
            return f"Something is missing in {where}: with it {right} is right."
        return f"The mistake stands in {where}: with something else there {right} is right."


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
    """Where the mistakes of a submission stand, as far as a repair proves it.

    answers: the submission's, by place among the cases; a place that is not there is not looked
    at. failed: the items to look at. student_of: runs a submission behind the walls. seconds: of
    wall time, at most; what is found then is all that is told.
    """
    wrong = {at for at, each in answers.items() if not same(each, cases[at].right, cases[at])}
    search = _Search(submission, source, cases, set(answers), wrong, student_of, answers)
    search.until = time.monotonic() + seconds
    order = [cell.name for cell in submission.cells if cell.solution]
    for cell in order:
        search.look_at(cell, failed)
    return search.found


@dataclass
class _Proof:
    """What an edit does to the answers."""

    edit: Edit
    items: tuple[str, ...]
    whole: bool
    mended: set[int]


@dataclass
class _Search:
    submission: Submission
    source: Source
    cases: Sequence[Case]
    known: set[int]
    wrong: set[int]
    student_of: StudentOf
    answers: Mapping[int, Answer]
    until: float = 0.0
    tried: int = 0
    found: list[Located] = field(default_factory=list)

    def look_at(self, cell: str, failed: Collection[str]) -> None:
        """Look for the mistakes of one cell, one after the other."""
        for _ in range(_ROUNDS):
            wrong = [at for at in self._own(cell) if at in self.wrong]
            items = {self.cases[at].item for at in wrong}
            if items.isdisjoint(failed) or any(each.cell == cell and each.whole for each in self.found):
                return
            text = next(each.source for each in self.submission.cells if each.solution and each.name == cell)
            proof = self._repair(cell, text)
            if proof is None:
                return
            edit = proof.edit
            line, source = edit.line, edit.source
            self.found.append(
                Located(cell, line, source, edit.what, edit.missing, proof.items, proof.whole)
            )
            self.submission = with_cell(self.submission, cell, edit.text)
            self.wrong -= proof.mended
            self._ask_others()

    def _ask_others(self) -> None:
        """Ask the other cells again: what builds on the one that was repaired may be right."""
        left = sorted(self.wrong, key=self._size)
        if left:
            with self.student_of(self.submission) as student:
                self.wrong -= {at for at in left if is_right(student, self.cases[at])}

    def _own(self, cell: str) -> list[int]:
        """The cases about what a cell defines, the smallest question first."""
        own = [
            at
            for at in sorted(self.known)
            if self.source.defined_in.get(self.cases[at].question.name) == cell
        ]
        return sorted(own, key=self._size)

    def _size(self, at: int) -> int:
        # Not the seconds that it took: what is found must not hang on how busy a machine is.
        question = self.cases[at].question
        return len(question.frame) + sum(map(len, question.weight_frames))

    def _repair(self, cell: str, text: str) -> _Proof | None:
        """The edit that proves where a mistake of the cell stands, if one does."""
        own = self._own(cell)
        places = [at for at in own if at in self.wrong] + [at for at in own if at not in self.wrong]
        try:
            view = View(text)
        except ValueError:
            return None
        with Trials(self.student_of, self.submission, cell) as trials:
            raised = self._raised(cell, places[0])
            view.learn(trials.kinds(view, self.cases[places[0]]), raised)
            for tier in TIERS:
                these = sorted(edits(view, tier), key=lambda each: each.line != raised)
                proofs = list(self._proofs(trials, these, places))
                if proofs:
                    DEBUG.append([(x.edit.line,x.edit.what,x.edit.text.splitlines()[x.edit.line-1].strip()[:100],x.whole) for x in proofs])
                    proof = _choose(proofs)
                    if proof is None:
                        return None
                    alone = trials.ask_alone(proof.edit.text, (self.cases[at] for at in places))
                    return self._proof(proof.edit, places, alone)
                if self._spent():
                    return None
        return None

    def _raised(self, cell: str, place: int) -> int | None:
        """The line of the cell that raised an exception, when a case was asked."""
        failure = self.answers[place].failure if place in self.answers else None
        return failure.line if failure is not None and failure.cell == cell else None

    def _spent(self) -> bool:
        return self.tried >= _MOST_TRIED or time.monotonic() > self.until

    def _proofs(
        self, trials: Trials, these: Sequence[Edit], places: Sequence[int]
    ) -> Iterator[_Proof]:
        done: set[int] = set()
        for edit in these:
            if self._spent():
                return
            if edit.line not in done:
                self.tried += 1
                asked = trials.ask(edit.text, (self.cases[at] for at in places))
                proof = self._proof(edit, places, asked)
                if proof is not None:
                    yield proof
                    if proof.whole:
                        done.add(edit.line)

    def _proof(
        self, edit: Edit, places: Sequence[int], asked: Iterator[bool]
    ) -> _Proof | None:
        """What an edit proves, from whether the answers to these cases are right with it."""
        items = dict.fromkeys(self.cases[at].item for at in places if at in self.wrong)
        right: dict[int, bool] = {}
        for at, each in zip(places, asked, strict=False):
            right[at] = each
            if not each and (at not in self.wrong or not right[places[0]]):
                return None
        if len(right) < len(places):
            return None
        lost = {self.cases[at].item for at in places if not right[at]}
        made = tuple(item for item in items if item not in lost)
        mended = {at for at in places if right[at] and at in self.wrong}
        if any(_is_numeric(self.cases[at]) for at in mended if self.cases[at].item in made):
            return _Proof(edit, made, not lost, mended)
        return None


def _choose(proofs: Sequence[_Proof]) -> _Proof | None:
    """The edit to tell of; None when several work, in different lines."""
    best = [each for each in proofs if each.whole] or list(proofs)
    lines = {each.edit.line for each in best}
    return best[0] if len(lines) == 1 else None


def _is_numeric(case: Case) -> bool:
    """Whether numbers are compared, and not a property such as who wrote to what."""
    return case.asked is not None and case.asked.kind in ("call", "value")
