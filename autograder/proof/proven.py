"""What a proof found: what became of every fault, pair, variant, mutant and line."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from autograder.course import Assignment, ItemResult, Verdict
from autograder.diagnosis import Component, Faults, named
from autograder.proof.locating import LEAST_LOCATED, Pointed, Sought
from autograder.proof.mutants import Tried
from autograder.proof.shard import ALL, Shard

LEAST_PAIRS = 0.95  # the share of them that must be named
MOST_COSTS = 0.25  # of an assignment's points, that one fault may cost beyond its own item's
MOST_COSTS_IN_THE_MEAN = 0.1  # over all faults of a course
_MANY = 10  # items of an assignment, in the mean; of fewer, each is worth more than that
_FEW = 20  # of what is wrong: a share of so little says nothing


class Told(StrEnum):
    """What was said of a submission with known faults."""

    NAMED = "named"  # exactly these faults, at every item that they cost
    ALIKE = "alike"  # fewer or others, which give the same answers to every question
    PARTLY = "partly"  # some of these faults, or not at every item
    SILENT = "silent"  # nothing at all
    WRONG = "wrong"  # something else, which other questions tell apart from these


@dataclass(frozen=True)
class Graded:
    """One submission with known faults: the items it lost, and what was said of it."""

    faults: Faults
    lost: tuple[ItemResult, ...]
    told: Told
    touched: tuple[ItemResult, ...] = ()  # those that it costs nothing
    costs: float = 0.0  # share of the assignment's points
    is_too_dear: bool = False  # more than one mistake may cost, though it can be run there

    @property
    def name(self) -> str:
        """Its faults, by id."""
        return " + ".join(named(self.faults))

    @property
    def caught(self) -> bool:
        """Whether each item that is meant to catch one of the faults did, and none was ours."""
        lost = {each.item for each in self.lost if each.verdict is not Verdict.INTERNAL}
        if len(self.faults) > 1:
            return bool(lost)
        return self.faults[0].item in lost


@dataclass(frozen=True)
class Proof:
    """What became of every fault, pair and variant of one assignment."""

    assignment: Assignment
    components: tuple[Component, ...]
    singles: tuple[Graded, ...]
    pairs: tuple[Graded, ...]
    variants: dict[str, tuple[ItemResult, ...]]  # what each lost, or was told something about
    bases: dict[str, tuple[ItemResult, ...]]  # the same of each component without a fault
    mutants: tuple[Tried, ...] = ()
    sought: tuple[Sought, ...] = ()
    stale: tuple[str, ...] = ()  # what is told of where the faults show and is not so
    slips: tuple[str, ...] = ()  # where a fault fails by one of its author's
    shard: Shard = ALL  # what of all that can be wrong was handed in

    @cached_property
    def problems(self) -> list[str]:
        """What must not be, in sentences."""
        every = (*self.singles, *self.pairs)
        said = list(self.slips)
        said += [f"{each.name} survives" for each in every if not each.lost]
        said += [
            f"{each.name} is not caught by {each.faults[0].item}, which is meant for it"
            for each in self.singles
            if each.lost and not each.caught
        ]
        said += [
            f"{each.name} is {each.told}" for each in self.singles if each.told is not Told.NAMED
        ]
        said += [
            f"{each.name} is told as something else"
            for each in self.pairs
            if each.told is Told.WRONG
        ]
        said += [
            f"{each.name} costs {each.costs:.0%} of the points, though it can be run: one mistake "
            f"may cost {MOST_COSTS:.0%}"
            for each in self.singles
            if each.is_too_dear
        ]
        said += [
            f"the variant {name} loses or is told of {', '.join(each.item for each in lost)}"
            for name, lost in self.variants.items()
            if lost
        ]
        said += [
            f"{name} loses or is told of {', '.join(each.item for each in lost)}: its steps are "
            "not what the reference does"
            for name, lost in self.bases.items()
            if lost
        ]
        said += [
            f"the mutant of {each.mutant.cell}, {each.mutant.description}: {each.problem}"
            for each in self.mutants
            if each.problem
        ]
        said += [each.problem for each in self.sought if each.problem]
        said += self.stale
        share = self.share_of_pairs
        if share is not None and share < LEAST_PAIRS:
            said.append(
                f"only {share:.1%} of the pairs are named, of {LEAST_PAIRS:.0%} wanted: the page "
                "lists the others; let the checks ask for more, where one fault hides another, or "
                "name in `often` the faults that are made often"
            )
        return said

    @cached_property
    def figures(self) -> dict[str, int]:
        """How many there are of everything, by what it is."""
        return {
            "single faults": len(self.singles),
            "caught by the item meant for them": sum(each.caught for each in self.singles),
            "named": sum(each.told is Told.NAMED for each in self.singles),
            "too dear": sum(each.is_too_dear for each in self.singles),
            **self._pairs,
            "right variants": len(self.variants),
            "that lost or were told something": sum(map(bool, self.variants.values())),
            **self._mutants,
            **self._lines,
            "problems": len(self.problems),
        }

    @property
    def _pairs(self) -> dict[str, int]:
        counts = Counter(each.told for each in self.pairs)
        return {
            "pairs on different steps": len(self.pairs),
            "named as that pair": counts[Told.NAMED],
            "giving the numbers of fewer faults": counts[Told.ALIKE],
            "named in part": counts[Told.PARTLY],
            "told nothing": counts[Told.SILENT],
            "told what is wrong": counts[Told.WRONG],
        }

    @property
    def _mutants(self) -> dict[str, int]:
        return {
            "mutants": len(self.mutants),
            "killed": sum(each.lost is not None for each in self.mutants),
            "equivalent, for a reason": sum(each.reason is not None for each in self.mutants),
        }

    @property
    def _lines(self) -> dict[str, int]:
        lines = Counter((each.of, each.pointed) for each in self.sought)
        ways = {
            "by a repair": Pointed.LOCATED,
            "by its exception": Pointed.RAISED,
            "as doing nothing": Pointed.UNDONE,
            "not at all": Pointed.SILENT,
        }
        found = {
            f"{of}s' lines told {way}": lines[of, pointed]
            for of in ("mutant", "sample")
            for way, pointed in ways.items()
        }
        return {**found, "told a line that is right": sum(bool(x.problem) for x in self.sought)}

    @property
    def untried(self) -> set[str]:
        """The figures of what was not tried, as in a quick proof: a 0 there would say something."""
        parts = (self.pairs, self._pairs), (self.mutants, self._mutants), (self.sought, self._lines)
        return {name for tried, figures in parts if not tried for name in figures}

    @property
    def share_of_pairs(self) -> float | None:
        """Of the pairs that some question tells from fewer faults, the share that is named."""
        known = [each for each in self.pairs if each.told is not Told.ALIKE]
        return sum(each.told is Told.NAMED for each in known) / len(known) if known else None


def rows_told(proofs: Sequence[Proof]) -> list[str]:
    """The figures that are told of these, in their order: those of what was tried in any."""
    untried = set.intersection(*(each.untried for each in proofs))
    return [name for name in proofs[0].figures if name not in untried]


def mean_costs(proofs: Sequence[Proof]) -> float:
    """What a single fault costs on average, as a share of its assignment's points."""
    costs = [each.costs for proof in proofs for each in proof.singles]
    return sum(costs) / max(1, len(costs))


def problem_of_all(proofs: Sequence[Proof]) -> str | None:
    """What must not be of the proofs of a course together, as a sentence."""
    mean = mean_costs(proofs)
    few = sum(len(each.assignment.items) for each in proofs) < _MANY * len(proofs)
    few = few or any(each.shard != ALL for each in proofs)  # another part may be cheaper
    if few or mean <= MOST_COSTS_IN_THE_MEAN:
        return None
    return (
        f"one fault costs {mean:.1%} of the points of its assignment on average, above "
        f"{MOST_COSTS_IN_THE_MEAN:.0%}: the page says which are dear"
    )


@dataclass(frozen=True)
class Lines:
    """Of all that is wrong and was looked at, the shares whose line is told."""

    repair: float  # by a repair
    raised: float  # by nothing but an exception that it raises itself
    undone: float  # by nothing but that it does nothing

    @property
    def told(self) -> float:
        """By any of these."""
        return self.repair + self.raised + self.undone

    def __str__(self) -> str:
        return (
            f"the line is told of {self.told:.1%} of what is wrong, with the bank switched off: "
            f"of {self.repair:.1%} by a repair, of {self.raised:.1%} by its exception alone, "
            f"of {self.undone:.1%} as one that does nothing"
        )


def lines_told(proofs: Iterable[Proof]) -> Lines | None:
    """How often the line is told; None where too little was looked at to say."""
    sought = [each.pointed for proof in proofs for each in proof.sought]
    if len(sought) < _FEW:
        return None
    ways = Pointed.LOCATED, Pointed.RAISED, Pointed.UNDONE
    return Lines(*(sought.count(each) / len(sought) for each in ways))


def problems_of(proofs: Sequence[Proof]) -> list[str]:
    """What must not be, in sentences that begin with the assignment; last, of all together."""
    said = [f"{proof.assignment.id}: {each}" for proof in proofs for each in proof.problems]
    if dear := problem_of_all(proofs):
        said.append(dear)
    lines = lines_told(proofs)
    if lines is not None and lines.told < LEAST_LOCATED:
        said.append(
            f"the line is told of only {lines.told:.1%}, of {LEAST_LOCATED:.0%} wanted: the page "
            "lists the others as silent; let the wrong samples among them say which line is wrong "
            "(`# lines: ...`), and `prove --lines` look at all, not at a share"
        )
    return said
