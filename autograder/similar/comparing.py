"""Who shares what hardly anybody else has.

Programs that answer the same small stubs are alike, so likeness says nothing; what is counted is
what is improbable. Each mark that two share counts by how rare it is in the class: 1 when nobody
else has it, less the more have it, and nothing when a quarter of the class does. In a class of less
than 65 even what two alone share counts less than 1, as little is known there of what is rare.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log

import numpy as np
import numpy.typing as npt

from autograder.similar.marks import share_of
from autograder.similar.works import Work

__all__ = ["FLOOR", "Compared", "Pair", "compare"]

# Of 358 programs of different hands for the six assignments of a course, no two shared more than
# 6.6. Of 204 copies in disguise all were above the floor; of 50 made of two halves, 47 with one.
FLOOR = 7.0
_COMMON = 4  # what one in so many has says nothing
_ENOUGH = 64  # others, to know what is rare
_FEW = 12  # share it: as fast pair by pair


@dataclass(frozen=True)
class Pair:
    """Two works above the floor; one of them at least is of the class itself."""

    left: Work
    right: Work
    score: float


@dataclass(frozen=True)
class Compared:
    """What came of a class: the pairs above the floor, and who hangs together by them."""

    pairs: tuple[Pair, ...]  # the most improbable first
    groups: tuple[tuple[str, ...], ...]  # of three and more, by their labels
    rarity: "Rarity"


class Rarity:
    """How many have a mark, and what it counts when two share it."""

    def __init__(self, works: Sequence[Work]) -> None:
        """Count every mark of a class, earlier ones included."""
        none = [np.array([], np.uint64)]
        keys = np.concatenate([each.keys for each in works] or none)
        who = np.repeat(np.arange(len(works)), [len(each.keys) for each in works])
        order = np.argsort(keys, kind="stable")
        self._keys, starts, counts = np.unique(keys[order], return_index=True, return_counts=True)
        self._counts = counts
        self._others = len(works) - 1
        self._spans = who[order], starts

    def of(self, key: int) -> float:
        """What a mark counts that two of the class share: 0 to 1."""
        at = np.searchsorted(self._keys, np.uint64(key))
        return self.weight(int(self._counts[at]))

    def weight(self, have: int) -> float:
        """What something counts that so many have."""
        if have < 2 or (have - 1) * _COMMON > self._others:
            return 0.0
        return log(self._others / (have - 1)) / log(max(self._others, _ENOUGH))

    def scores(self) -> npt.NDArray[np.float64]:
        """What each two share, counted; (works, works), and 0 below the diagonal."""
        who, starts = self._spans
        found = np.zeros((self._others + 1, self._others + 1))
        for have in map(int, np.unique(self._counts)):
            if weight := self.weight(have):
                these = self._counts == have
                sharing = who[starts[these][:, None] + np.arange(have)]
                weights = weight * np.array([share_of(key) for key in self._keys[these].tolist()])
                if have <= _FEW:
                    for left, right in combinations(range(have), 2):
                        np.add.at(found, (sharing[:, left], sharing[:, right]), weights)
                else:
                    for each, counts in zip(sharing, weights, strict=True):
                        found[np.ix_(each, each)] += counts
        return np.triu(found, 1)


def compare(works: Sequence[Work], top: int) -> Compared:
    """The `top` pairs that share most of what is rare; two works of one student are no pair."""
    rarity = Rarity(works)
    scores = rarity.scores()
    found = []
    for left, right in np.argwhere(scores >= FLOOR):
        one, other = works[left], works[right]
        apart = one.student != other.student
        if apart and (one.folder is None or other.folder is None):
            found.append(Pair(one, other, float(scores[left, right])))
    found.sort(key=lambda pair: (-round(pair.score, 6), pair.left.label, pair.right.label))
    return Compared(tuple(found[:top]), _groups(found), rarity)


def _groups(pairs: Sequence[Pair]) -> tuple[tuple[str, ...], ...]:
    group: dict[str, set[str]] = {}
    for pair in pairs:
        both = (pair.left.label, pair.right.label)
        joined = set(both).union(*(group.get(each, ()) for each in both))
        group |= dict.fromkeys(joined, joined)
    found = {tuple(sorted(each)) for each in group.values() if len(each) > 2}
    return tuple(sorted(found, key=lambda each: (-len(each), each)))
