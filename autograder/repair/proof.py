"""What an edit proves of where a mistake stands, and which of several edits is told."""

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from autograder.repair.edits import Edit


@dataclass(frozen=True)
class Proof:
    """What an edit makes right: items, the cases that were wrong, all that is known of the cell."""

    edit: Edit
    places: Sequence[int]  # as they were asked
    items: tuple[str, ...]
    mended: frozenset[int]
    whole: bool


def proof_of(
    edit: Edit,
    places: Sequence[int],
    items: Sequence[str],
    asked: Iterable[bool],
    may_be_wrong: Set[int],
    wrong: Set[int],
) -> Proof | None:
    """What an edit proves, if anything. asked: which of the cases at `places` are right with it.

    items: those of these cases. wrong: the cases that are wrong without it.
    """
    right: list[int] = []
    lost: set[str] = set()
    asked_for = 0
    for at, item, each in zip(places, items, asked, strict=False):
        asked_for += 1
        if each:
            right.append(at)
        elif at not in may_be_wrong or not right:  # it breaks something, or mends not the first
            return None
        else:
            lost.add(item)
    if asked_for < len(places):  # its process ended
        return None
    mended = {at: item for at, item in zip(places, items, strict=True) if at in wrong & {*right}}
    made = tuple(item for item in dict.fromkeys(mended.values()) if item not in lost)
    return Proof(edit, places, made, frozenset(mended), not lost) if made else None


def best(proofs: Sequence[Proof]) -> list[Proof]:
    """The smallest edits that mend most.

    Of several lines, it is the one that then would read as another line of the cell does.
    """
    order = sorted(proofs, key=lambda each: (-len(each.mended), each.edit.tier))
    found = [
        each
        for each in order
        if len(each.mended) == len(order[0].mended) and each.edit.tier == order[0].edit.tier
    ]
    if len({each.edit.line for each in found}) > 1:
        found = [each for each in found if each.edit.has_sister] or found
    return found


def in_one_line(proofs: Sequence[Proof]) -> Proof | None:
    """The first of proofs that all are made in one line; None when they are not."""
    return proofs[0] if len({each.edit.line for each in proofs}) == 1 else None
