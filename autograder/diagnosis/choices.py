"""What may explain a component's answers: choices of faults, simple ones first."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import islice

from autograder.diagnosis.agreement import Agreement
from autograder.diagnosis.components import Faults, combine

_SEEDS = 4  # explanations of something to which others are added
_SAMPLES = 3  # wrong cases, one of which a seed must explain


class Choices:
    """The choices for one component. before: what is known to be wrong in earlier ones."""

    def __init__(self, agreement: Agreement, before: Faults) -> None:
        self._agreement = agreement
        self._before = before

    def each(self, may_be: Callable[[Faults], bool]) -> Iterator[list[Faults]]:
        """One by one, each list with and without what is wrong before it.

        may_be: whether faults, by where they are known to show, may be what is asked for.
        """
        before = [self._before, ()] if self._before else [()]
        yield list(before)
        for choices in self._in_turn():
            known = all(fault.shows for faults in choices for fault in faults)
            kept = list(filter(may_be, choices)) if known and not self._before else choices
            yield [faults + other for faults in kept for other in before]

    def _in_turn(self) -> Iterator[list[Faults]]:
        yield self._singles
        if self._agreement.is_patient:
            yield self._often
        if self._agreement.is_patient:
            yield self._pairs
        if self._agreement.is_patient:
            yield self._threes

    def with_another(self, seeds: Sequence[Faults]) -> list[Faults]:
        """These together with any other fault, in the order of their file."""
        faults = self._agreement.faults
        own = [each for each in seeds if set(each) <= set(faults)]
        found = [{*each, one} for each in own for one in faults if one not in each]
        ordered = (tuple(each for each in faults if each in one) for one in found)
        return [each for each in dict.fromkeys(ordered) if combine(each)]

    def inherited(self) -> list[Faults]:
        """Mistakes in the parts that it is built on, whether or not these are wrong themselves."""
        inside = self._agreement.bank.built_on(self._agreement.component)
        return [(*each, one) for each in ((), *self._seeds) for one in inside]

    @property
    def _singles(self) -> list[Faults]:
        return [(each,) for each in self._agreement.faults]

    @property
    def _often(self) -> list[Faults]:
        possible = set(self._agreement.faults)
        return [each for each in self._agreement.component.pairs if set(each) <= possible]

    @cached_property
    def _seeds(self) -> list[Faults]:
        return self._explaining(self._singles)

    @cached_property
    def _pairs(self) -> list[Faults]:
        return self.with_another(self._seeds)

    @cached_property
    def _threes(self) -> list[Faults]:
        return self.with_another(self._explaining(self._pairs))

    def _explaining(self, choices: Sequence[Faults]) -> list[Faults]:
        """The first of the choices that explain a wrong case, of each item the soonest asked."""
        ours = self._agreement
        cases = ours.bank.cases
        firsts = {cases[each].item: each for each in reversed(ours.wrong)}
        samples = sorted(firsts.values(), key=ours.wrong.index)[:_SAMPLES]
        parameters = list(islice((each for each in ours.wrong if cases[each].is_parameters), 1))
        found: list[Faults] = []
        for faults in choices:
            if len(found) == _SEEDS or not ours.is_patient:
                break
            seen = (ours.agrees(faults, each) and ours.is_apart(faults, [each]) for each in samples)
            if any(seen) or any(ours.is_part_of_it(faults, each) for each in parameters):
                found.append(faults)
        return found
