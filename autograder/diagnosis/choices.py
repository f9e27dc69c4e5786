"""What may explain a component's answers: choices of faults, simple ones first.

One fault, two that are made often; and then what grows: to faults that explain some of a case,
another is added that explains more of it, or more cases, until nothing is left.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations, islice, product, takewhile

from autograder.diagnosis.agreement import Agreement
from autograder.diagnosis.evidence import tensors_of
from autograder.diagnosis.fault import Fault, Faults, combine

_SEEDS = 4  # explanations of something to which others are added
_SAMPLES = 3  # cases that are not yet explained, of other items if there are, of which one must be
_FEW = 12  # cases in which single faults are compared
_BEYOND = 2  # seeds that are seen in others than the first
_MOST = 6  # mistakes in one component
_SEEN = 0.1  # of a case: less may be chance


def best(found: Mapping[Faults, float]) -> list[Faults]:
    """The few to go on with: those that explain nearly as much as the first."""
    most = max(found.values(), default=0.0)
    return [each for each, gain in found.items() if gain >= most / 2][:_SEEDS]


class Choices:
    """The choices for one component.

    before: what is known to be wrong in earlier ones; known: in this one, from elsewhere.
    """

    def __init__(self, agreement: Agreement, before: Faults, known: Faults = ()) -> None:
        self._agreement = agreement
        self._before = before
        self._bases = [before, ()] if before else [()]
        self._known = known
        self._larger: list[list[Faults]] = []  # two mistakes, three, and more, as far as asked for
        self._forks: list[list[Faults]] = []  # seeds to which what is likely was added, and no more

    def each(
        self, may_be: Callable[[Iterable[Faults]], Iterable[Faults]]
    ) -> Iterator[Iterable[Faults]]:
        """One by one, each list with and without what is wrong before it.

        may_be: what of these, by where faults are known to show, may be what is asked for.
        """
        yield list(self._bases)
        if self._known and combine(self._known):
            yield self._on_bases([self._known, *self.with_another([self._known])])
        for choices in self._in_turn():
            known = all(fault.shows for faults in choices for fault in faults)
            yield list(may_be(choices)) if known and not self._before else choices
            if self.nothing_to_go_on:
                return
            if choices is self._often:
                yield self._agreement.for_a_while(self._inside)
        if not self._before:
            yield self._agreement.for_a_while(may_be(self._threes))

    def _in_turn(self) -> Iterator[list[Faults]]:
        yield self._singles
        # Who explains a whole case is more likely at work than two that are made often.
        grow = self._growing()
        most = max((*self._hints.values(), *self._beyond.values()), default=0.0)
        if self._agreement.is_patient and most >= 1:
            yield from grow
        if self._agreement.is_patient:
            yield self._often
        yield from grow

    def _growing(self) -> Iterator[list[Faults]]:
        for size in range(1, _MOST):
            if size <= len(self._larger) or self._agreement.is_patient:
                yield self._larger[size - 1] if size <= len(self._larger) else self._next()

    def with_another(self, seeds: Sequence[Faults]) -> list[Faults]:
        """These together with any other fault, in the order of their file."""
        faults = self._agreement.faults
        own = [each for each in seeds if set(each) <= set(faults)]
        found = [self._with(each, one) for each in own for one in faults if one not in each]
        return [each for each in dict.fromkeys(found) if combine(each)]

    def inherited(self) -> Iterator[Faults]:
        """Mistakes in the parts that it is built on, beside those of its own but in a dead end."""
        own = set() if [] in self._larger else set(self._agreement.faults)
        seeds = [each for each in self._seeds if set(each) <= own]
        choices = ((*each, *one) for each in ((), *seeds) for one in self._inside)
        return takewhile(lambda _: self._agreement.is_patient, choices)

    @cached_property
    def _inside(self) -> list[Faults]:
        """The mistakes in the parts that it is built on, whether or not these are wrong."""
        return [(each,) for each in self._agreement.bank.built_on(self._agreement.component)]

    def grown(
        self,
        bases: Sequence[Faults],
        places: Sequence[int],
        among: Faults | None = None,
        unlikely: bool = False,
    ) -> dict[Faults, float]:
        """These with one more fault that explains more of some places, and how much: 1 is a case.

        among: the faults tried, or all; unlikely: also beside likelier ones that explain a case.
        """
        gains: dict[Faults, float] = {}
        for base in bases:
            explained, more = False, dict[Faults, float]()
            left = self._unexplained(base, places)
            for place in left[:_SAMPLES]:
                had = self._agreement.hint(base, place)
                explained = False
                for faults, goes_on in self._more(base, left, place, among):
                    if not self._agreement.is_patient or (
                        explained and not goes_on and not unlikely
                    ):
                        break
                    gain = self._agreement.hint(faults, place) - had
                    # Where little is wrong that proves nothing; a base is proven elsewhere.
                    if base and not had and self._agreement.agrees(faults, place):
                        gain = max(gain, 1.0)
                    more[faults] = max(gain, more.get(faults, 0.0))
                    explained |= gain >= 1
                if explained and base:
                    break
            # Two that explain no more than one of them alone are no step on from the other.
            gains |= {each: min(gain, gains.get(each, gain)) for each, gain in more.items()}
            if explained and self._hints.get(base, 1.0) < 1:
                break  # the others have less to say for themselves
        gains = {faults: gain for faults, gain in gains.items() if gain > 0}
        return dict(sorted(gains.items(), key=lambda each: -each[1]))

    def _more(
        self, base: Faults, left: Sequence[int], place: int, among: Faults | None
    ) -> Iterator[tuple[Faults, bool]]:
        """A base with each fault that may be seen at a place, the likeliest first.

        left: cases that the base leaves, one of each item. A fault that shows in just these items
        is likelier than one that shows elsewhere, too. Returns each with whether it is as likely
        as the one before it.
        """
        cases = self._agreement.bank.cases
        items, item = {cases[each].item for each in left}, cases[place].item
        faults = self._agreement.faults if among is None else among
        own = self._agreement.faults  # of others, nobody knows where they show here
        may_be = [each for each in faults if each.may_show(item) or each not in own]
        distance = {each: len(items.symmetric_difference(each.shows)) for each in may_be}
        before = -1
        for fault in sorted(may_be, key=lambda each: distance[each]) if base else may_be:
            faults = self._with(base, fault)
            if fault not in base and combine(faults):
                yield faults, not base or distance[fault] == before
                before = distance[fault]

    def _with(self, base: Faults, fault: Fault) -> Faults:
        own = {*base, fault}
        theirs = tuple(each for each in (*base, fault) if each not in self._agreement.faults)
        return (*(each for each in self._agreement.faults if each in own), *theirs)

    def _unexplained(self, base: Faults, places: Sequence[int]) -> list[int]:
        """The first places at which it does not agree, each of another item; then further ones.

        Two mistakes may hide each other in the first case of an item; in another one shows alone.
        """
        ours, found = self._agreement, dict[str, int]()
        for place in places:
            item = ours.bank.cases[place].item
            if item not in found and not ours.agrees(base, place):
                found[item] = place
        first = list(found.values())
        others = (x for x in places if ours.bank.cases[x].item in found and x not in first)
        further = (each for each in others if not ours.agrees(base, each))
        return first + list(islice(further, max(0, _SAMPLES - len(first))))

    def _on_bases(self, choices: Sequence[Faults]) -> list[Faults]:
        return [(*faults, *base) for faults in choices for base in self._bases]

    @cached_property
    def _singles(self) -> list[Faults]:
        return self._on_bases([(each,) for each in self._agreement.faults])

    @cached_property
    def _often(self) -> list[Faults]:
        possible, pairs = set(self._agreement.faults), self._agreement.component.pairs
        return self._on_bases([each for each in pairs if set(each) <= possible])

    @property
    def _threes(self) -> Iterator[Faults]:
        """Three mistakes that are made often, of which two show nothing without the third."""
        common = [x for x in self._agreement.component.common if x in self._agreement.faults]
        return filter(combine, combinations(common, 3))

    @cached_property
    def _hints(self) -> dict[Faults, float]:
        """The single faults of which something is seen, in the first case of an item.

        Of faults of which as much is seen, those come first that are known to show in no more
        cases than are wrong, then those that explain more, or show in more of the items.
        """
        ours = self._agreement
        first = {ours.bank.cases[each].item: each for each in reversed(ours.wrong)}
        found = self._seen_in(first.values())
        wrong = Counter(ours.bank.cases[each].item for each in ours.wrong)

        def order(each: tuple[Faults, float]) -> tuple[float, int, int, int]:
            faults, share = each
            too_many = (Counter(faults[0].shows) - wrong).total()
            explained = sum(ours.agrees(faults, place) for place in ours.wrong[:_FEW])
            return -share, too_many, -explained, -len(first.keys() & faults[0].shows)

        return dict(sorted(found.items(), key=order))

    @cached_property
    def _beyond(self) -> dict[Faults, float]:
        """Those that explain a whole case beyond the first ones, where none explains one of these.

        The cheapest are looked at: less meets in them.
        """
        if max(self._hints.values(), default=0.0) >= 1:
            return {}
        cheap = sorted(self._agreement.wrong, key=self._agreement.bank.cost)[:_SAMPLES]
        found = self._seen_in(cheap)
        return {faults: share for faults, share in found.items() if share >= 1}

    def _seen_in(self, places: Iterable[int]) -> dict[Faults, float]:
        """How much of a case the single faults explain, at most."""
        found: dict[Faults, float] = {}
        for place, faults in product(places, self._singles):
            may_be = faults[0].may_show(self._agreement.bank.cases[place].item)
            share = self._agreement.hint(faults, place) if may_be else 0.0
            if share > found.get(faults, 0.0):
                found[faults] = share
        return found

    @cached_property
    def nothing_to_go_on(self) -> bool:
        """Whether nothing came where it is wrong, and a single fault explains no case of it.

        Then several explain none either: a cell that cannot be run, a function without a return.
        """
        ours = self._agreement
        answers = [ours.answers[each] for each in ours.wrong]
        if any(each.value is not None or any(True for _ in tensors_of(each)) for each in answers):
            return False
        return max(self._hints.values(), default=0.0) <= 1  # as much as a share can be

    @cached_property
    def _seeds(self) -> list[Faults]:
        return list(dict.fromkeys([*best(self._hints), *list(self._beyond)[:_BEYOND]]))

    @cached_property
    def _hinted(self) -> Faults:
        """The faults of which something is seen: the likeliest to be found together."""
        return tuple(dict.fromkeys(each[0] for each in (*self._hints, *self._beyond)))

    @property
    def largest(self) -> list[Faults]:
        """Those that explained the most when the last mistake was added."""
        grown = [each for each in self._larger if each]
        return best(dict.fromkeys(grown[-1], 1.0)) if grown else []

    def _next(self) -> list[Faults]:
        places = self._agreement.places
        found = self.grown(self._seeds, places, self._hinted)
        if max(found.values(), default=0.0) < 1:  # of all, what explains no case alone, too
            found |= self.grown(self._seeds, places)
            found = dict(sorted(found.items(), key=lambda each: -each[1]))
        if max(found.values(), default=0.0) >= 1:
            self._forks.append(self._seeds)
        if [] in self._larger[-1:] and self._forks:  # what was as good there led to a dead end
            with self._agreement.aside():
                more = self.grown(self._forks.pop(), places, unlikely=True)
            tried = {each for several in self._larger for each in several}
            found = {x: gain for x, gain in more.items() if gain >= 1 and x not in tried}
        if not self._larger and not found:
            found = self._pairs()
        if max(found.values(), default=0.0) >= _SEEN:
            self._agreement.go_on()
        self._larger.append(list(found))
        self._seeds = best(found)
        return self._larger[-1]

    def _pairs(self) -> dict[Faults, float]:
        """Two of which something is seen only together; of all, those made often come first.

        A third may hide the rest of it. Of which kind an answer is, hangs on one alone.
        """
        ours = self._agreement
        if not ours.wrong or next(tensors_of(ours.answers[ours.wrong[0]]), None) is None:
            return {}
        common = set(ours.component.common)
        pairs = list(filter(combine, combinations(ours.faults, 2)))
        pairs.sort(key=lambda each: (not ours.may_be_all(each), -len(common.intersection(each))))
        shares = {pair: ours.hint(pair, ours.wrong[0]) for pair in ours.at_length(pairs)}
        found = ((pair, share) for pair, share in shares.items() if share)
        return dict(sorted(found, key=lambda each: -each[1]))
