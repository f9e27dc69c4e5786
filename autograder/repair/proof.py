"""What an edit proves of where a mistake stands, and which of several edits is told."""

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from autograder.repair.edits import Edit
from autograder.repair.known import RIGHT


@dataclass(frozen=True)
class Proof:
    """What an edit makes right: items, the cases that were wrong, all that is known of the cell.

    right: how many of the cases are right then, also without what known mistakes excuse.
    """

    edit: Edit
    places: Sequence[int]  # as they were asked
    items: tuple[str, ...]
    mended: frozenset[int]
    whole: bool
    right: int

    @property
    def final(self) -> bool:
        """Whether nothing is left, not even what is known: no other edit can mend more."""
        return self.right == len(self.places)


def proof_of(
    edit: Edit,
    places: Sequence[int],
    items: Sequence[str],
    asked: Iterable[int],
    may_be_wrong: Set[int],
    wrong: Set[int],
) -> Proof | None:
    """What an edit proves, if anything. asked: how the answers at `places` fit with it.

    items: those of these cases. wrong: the cases that are wrong without it.
    """
    right: dict[int, int] = {}
    lost: set[str] = set()
    asked_for = 0
    for at, item, each in zip(places, items, asked, strict=False):
        asked_for += 1
        if each:
            right[at] = each
        elif at not in may_be_wrong or not right:  # it breaks something, or mends not the first
            return None
        else:
            lost.add(item)
    if asked_for < len(places):  # its process ended
        return None
    mended = {at: item for at, item in zip(places, items, strict=True) if at in wrong & {*right}}
    made = tuple(item for item in dict.fromkeys(mended.values()) if item not in lost)
    full = sum(each == RIGHT for each in right.values())
    return Proof(edit, places, made, frozenset(mended), not lost, full) if made else None


def best(proofs: Sequence[Proof]) -> list[Proof]:
    """The smallest edits that mend most, and most of what is known with it.

    Of several lines, it is the one that then would read as another line of the cell does.
    """

    def rank(proof: Proof) -> tuple[int, int, int]:
        return -len(proof.mended), -proof.right, proof.edit.tier

    least = min(map(rank, proofs), default=None)
    found = [each for each in proofs if rank(each) == least]
    if len({each.edit.line for each in found}) > 1:
        found = [each for each in found if each.edit.has_sister] or found
    return found


def in_one_line(proofs: Sequence[Proof]) -> Proof | None:
    """The first of proofs that all are made in one line; None when they are not."""
    return proofs[0] if len({each.edit.line for each in proofs}) == 1 else None
