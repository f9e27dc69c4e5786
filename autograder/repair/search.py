"""Which line of a submission's own code a mistake stands in, found by repairing it.

Edits of a solution cell are tried, the smallest first. One after which everything that is known of
the cell is right, or all of one item and nothing worse than before, proves that the mistake stands
where it was made. When edits of one size do so in different lines, nothing is proven.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial

from autograder.diagnosis import Accepted, Bank, Case, Diagnosis
from autograder.notebooks import Source, Submission, can_be_given
from autograder.repair.edits import TIERS, Edit, TooManyEdits, edits
from autograder.repair.hints import hinted, that_name
from autograder.repair.known import fits, with_known
from autograder.repair.located import Located
from autograder.repair.proof import Proof, best, in_one_line, proof_of
from autograder.repair.purse import ALL, KEPT, Purse
from autograder.repair.skipping import skipped
from autograder.repair.spot import raising
from autograder.repair.tally import Tally
from autograder.repair.trying import (
    Repairs,
    StudentOf,
    Trials,
    answered,
    stands_on,
    text_of,
    view_of,
    with_cell,
    with_given,
)
from autograder.repair.typed import in_values
from autograder.repair.view import View
from autograder.sandbox.failure import Failure
from autograder.sandbox.session import Answer

_FIRSTS = 5  # cases by which an edit is seen to be worth more questions, one after the other
_SOONEST, _REST = TIERS[:3], TIERS[3:]
_AT_ONCE = 50  # edits, before it is seen what they brought
_ONE, _FEW = ALL * 5 / 6, ALL / 3  # what one mistake may take; and what the first looks at it
_ALONE = 1.5  # times as long, where nothing is on its way meanwhile
_ROUNDS = 3  # so many mistakes of one cell are looked for, one after the other


def locate(
    submission: Submission,
    source: Source,
    bank: Bank,
    answers: Mapping[int, Answer],
    failed: Collection[str],
    student_of: StudentOf,
    purse: Purse,
    known: Mapping[str, Diagnosis],
    repairs: Repairs,
) -> list[Located]:
    """Where the mistakes of a submission stand, as far as repairs prove it.

    answers: the submission's, by place among the bank's cases. failed: the items to look at.
    student_of: puts a submission behind the walls, one at a time. purse: what may be spent. known:
    what explains items. repairs: those proven behind other parts, to which those of now are added.
    """
    answers = {at: each for at, each in answers.items() if not isinstance(each, Accepted)}
    wrong = {at for at, each in answers.items() if not bank.is_right(at, each)}
    cases = with_known(bank, known, wrong, failed)
    wrong = {at for at in wrong if not fits(answers[at], cases[at])}
    of, kept = source.defined_in, purse.kept
    found, amiss = list[Located](), list[str]()
    # behind: with what is amiss replaced; left: wrong, and not looked at
    searches, behind, left = list[_Search](), list[_Search](), set[int]()
    for cell in (each.name for each in source.reference if each.solution):
        places = [at for at in answers if of.get(cases[at].question.name) == cell]
        if any(at in wrong and cases[at].item in failed for at in places):
            text, earlier, amiss = text_of(submission, cell), amiss, [*amiss, cell]
            if line := in_values(cell, text, [cases[at] for at in places if at in wrong]):
                found.append(line)
            elif stands_on(text, earlier, source):
                left |= wrong & {*places}
            else:
                about = cell, bank, cases, {at: answers[at] for at in places}, wrong & {*places}
                searches.append(_Search(*about, failed, student_of, purse, repairs, submission))
                behind.append(searches[-1].behind(earlier, source))
    # A mistake of an earlier cell is none of a later one.
    searches = [each for each in behind if each.wrong] or searches
    for done, each in enumerate(searches, 1):
        purse.kept = kept + KEPT * (len(searches) - done)
        submission = each.look(submission, found)
    still = frozenset(cases[at].item for at in left.union(*(each.wrong for each in searches)))
    return [replace(each, in_part=still.intersection(each.items)) for each in found]


@dataclass
class _Search:
    """For the mistakes of one cell. `answers`, `wrong`: about it alone; `cases`: all."""

    cell: str
    bank: Bank
    cases: Sequence[Case]
    answers: Mapping[int, Answer]
    wrong: set[int]
    failed: Collection[str]
    student_of: StudentOf
    purse: Purse
    repairs: Repairs
    submission: Submission  # with what was found put right
    least: float = 0.0  # of the purse, which is to be left
    given: Sequence[str] = ()  # names of earlier cells that are not the submission's own
    before: frozenset[int] = frozenset()  # wrong as it was handed in

    def behind(self, cells: Sequence[str], source: Source) -> "_Search":
        """The same with earlier cells replaced by what is given of them, where it is."""
        given = [cell for cell in cells if can_be_given(source, source.defines(cell))]
        if not given:
            return self
        submission, names = with_given(self.submission, given, source)
        answers = {}
        with self.student_of(submission, names) as student:
            for at in sorted(self.wrong, key=lambda at: self.cases[at].size):
                answer = answered(student, self.cases[at])
                answers[at] = answer or Answer(None, failure=Failure("Died", ""))
        right = {at for at, each in answers.items() if fits(each, self.cases[at])}
        return replace(
            self,
            answers={**self.answers, **answers},
            wrong=self.wrong - right,
            submission=submission,
            given=names,
            before=frozenset(self.wrong),
        )

    def look(self, handed_in: Submission, found: list[Located]) -> Submission:
        """Look for the mistakes of the cell, one after the other.

        handed_in: the submission, in which a repair must hold, too. Returns it repaired. A line
        that an earlier repair has written or moved is not told: it is not the student's.
        """
        theirs = text_of(handed_in, self.cell).splitlines()
        for _ in range(_ROUNDS):
            left = any(self.cases[at].item in self.failed for at in self.wrong)
            if not left or (proof := self._repair(handed_in)) is None:
                break
            edit = proof.edit
            if [edit.source] != [each.strip() for each in theirs[edit.line - 1 : edit.line]]:
                break
            told = edit.line, edit.source, edit.what, edit.missing
            if items := tuple(each for each in proof.items if each in self.failed):
                beside = not proof.final and any(self.cases[at].known for at in proof.mended)
                how = items, proof.whole and (proof.final or beside), edit.others, edit.beginning
                found.append(Located(self.cell, *told, *how, beside))
            self.repairs.append((self.cell, edit))
            self.submission = with_cell(self.submission, self.cell, edit.text)
            handed_in = with_cell(handed_in, self.cell, edit.text)
            self.wrong -= proof.mended
        return handed_in

    def _repair(self, handed_in: Submission) -> Proof | None:
        """The edit that proves where a mistake of the cell stands, if one does."""
        if (view := view_of(self.submission, self.cell)) is None:
            return None
        # The wrong ones first, the smallest of each first.
        places = sorted(self.answers, key=self._order)
        with Trials(
            partial(self.student_of, given=self.given), self.submission, self.cell
        ) as trials:
            parts, firsts = self._again(trials, places), self._firsts(places)
            these = {} if parts else {at: (self.cases[at], self.answers[at]) for at in firsts}
            for at, hints in hinted(view, _SOONEST, these):
                if parts := self._proofs(trials, hints, _ahead(at, places)) or []:
                    break
            firsts, before = [] if parts else firsts, self.purse.left
            for tiers, some, most in (
                (_SOONEST, firsts[:1], _ONE),
                (_SOONEST, firsts[1:], _FEW),
                (_REST, firsts[:1], _ONE),
            ):
                self.least = max(0.0, before - most)
                for at in some:
                    parts += self._search(trials, view, _ahead(at, places), tiers)
                    if any(each.final for each in parts):
                        break
                if any(each.final for each in parts):
                    break
            proofs = best([each for each in parts if each.final] or parts)
            chosen = in_one_line(proofs) or skipped(proofs, partial(self._is_right, trials))
        if chosen is None:
            return None
        cases = (self.cases[at] for at in chosen.places)
        trials = Trials(self.student_of, handed_in, self.cell)
        with trials.ask_alone(chosen.edit.text, cases) as (asked, guarded):
            proof = self._proof(chosen.edit, chosen.places, asked, self.wrong | self.before)
            return proof if proof and guarded() else None

    def _again(self, trials: Trials, places: Sequence[int]) -> list[Proof]:
        """What the first edit proves here that was proven behind other parts."""
        now = self.cell, text_of(self.submission, self.cell)
        for edit in (edit for cell, edit in self.repairs if (cell, edit.spot.view.text) == now):
            asked = trials.ask(edit.text, map(self._paid, places))
            if proof := self._proof(edit, places, asked, self.wrong):
                return [proof]
        return []

    def _is_right(self, trials: Trials, text: str, proof: Proof) -> bool:
        """Whether all that a proof makes right is right with this text of the cell."""
        places = [at for at in proof.places if at in proof.mended or at not in self.wrong]
        right = [*trials.ask(text, map(self._paid, places))]
        return len(right) == len(places) and all(right)

    def _order(self, at: int) -> tuple[bool, float, int, int]:
        return at not in self.wrong, self._price(at), self.cases[at].size, at

    def _price(self, at: int) -> float:
        return self.bank.asking(at) + self.bank.making(at)

    def _firsts(self, places: Sequence[int]) -> list[int]:
        """The smallest wrong case of each item: of two mistakes, one may show alone in some.

        Items that are explained come last: there is a mistake that they do not need. And first what
        raises: fewer lines are reached.
        """
        first: dict[str, int] = {}
        for at in places:
            if at in self.wrong:
                first.setdefault(self.cases[at].item, at)
        silent = {item for item, at in first.items() if self._raised(at) is None}
        asked = sorted(first, key=lambda item: (item not in self.failed, item in silent))
        return [first[item] for item in asked][:_FIRSTS]

    def _search(
        self, trials: Trials, view: View, places: Sequence[int], tiers: Iterable[int]
    ) -> list[Proof]:
        """The edits of the lowest tier that make everything right; if none does, all that count."""
        self.purse.pay(0.0, forks=1)  # at least
        case, line = self.cases[places[0]], self._raised(places[0])
        raised = set() if line is None and not case.is_of_an_error else raising(view, line)
        view.learn(trials.kinds(view, case), raised)
        parts: list[Proof] = []
        for tier in tiers:
            try:
                these = that_name(edits(view, tier), case, self.answers[places[0]])
            except TooManyEdits:
                self.purse.pay(self.purse.left)
                break
            ordered = sorted(these, key=lambda x: (x.line not in raised, not x.compares))
            proofs = self._proofs(trials, ordered, places)
            if proofs is None:
                break
            parts += proofs
            if any(each.final for each in proofs):
                break
        return parts

    def _raised(self, place: int) -> int | None:
        """The line of the cell that raised an exception when a case was asked."""
        failure = self.answers[place].failure
        return failure.line if failure is not None and failure.cell == self.cell else None

    def _proofs(
        self, trials: Trials, these: Sequence[Edit], places: Sequence[int]
    ) -> list[Proof] | None:
        """What edits prove; None if not all could be tried: another line might be as good."""
        first, left, found, tally = places[0], list(these), list[Proof](), Tally()
        while left:
            if self.purse.is_down_to(self.least):
                return None
            tried = trials.tried(left[:_AT_ONCE], self.cases[first])
            calls = sum(each.ended for each in tried) * self.bank.asking(first)
            made = sum(each.edit.makes for each in tried) * self.bank.making(first)
            self.purse.pay(calls + made, cells=len(tried))
            for each in tried:
                if not each.ended:
                    tally.did_not_end(each.edit)
                    self.purse.pay(1e3 * each.seconds, forks=not trials.is_running)
            for edit in (each.edit for each in tried if each.right):
                if self.purse.is_down_to(self.least):
                    return None
                if tally.asks_more(edit):
                    asked = trials.ask(edit.text, map(self._paid, places))
                    proof = self._proof(edit, places, asked, self.wrong)
                    self.purse.pay(1e3 * trials.take_lost(), forks=not trials.is_running)
                    if proof is not None and (proof.final or not edit.goes_round):
                        found.append(proof)
                        tally.proves(edit, proof.final)
            left = [each for each in left[len(tried) :] if tally.tries(each)]
        return found

    def _paid(self, at: int) -> Case:
        self.purse.pay(_ALONE * self._price(at))
        return self.cases[at]

    def _proof(
        self, edit: Edit, places: Sequence[int], asked: Iterable[int], wrong: Set[int]
    ) -> Proof | None:
        items = [self.cases[at].item for at in places]
        return proof_of(edit, places, items, asked, wrong, self.wrong)


def _ahead(at: int, places: Iterable[int]) -> list[int]:
    return [at, *(each for each in places if each != at)]
