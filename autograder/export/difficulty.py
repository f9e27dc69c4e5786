"""How hard each item was for a class, and whether it tells strong submissions from weak ones.

The two figures of classical test theory. Difficulty index: the mean share of an item's points (near
1: easy). Discrimination: the corrected item-total correlation, between an item's points and those
of all others; for an item that is right or wrong, it is the point-biserial correlation.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import StatisticsError, correlation, fmean

__all__ = ["BADLY", "ENOUGH", "Difficulty", "difficulty"]

ENOUGH = 30  # submissions: with fewer, chance alone moves a correlation by 0.2 and more
BADLY = 0.2  # below it, an item is to be looked at (Ebel and Frisbie 1991)
_NEARLY = 0.05  # of all; the few others say nothing about what an item tells


@dataclass(frozen=True)
class Difficulty:
    """An item's two figures; None where there are none."""

    index: float | None
    discrimination: float | None

    @property
    def tells_badly(self) -> bool:
        """Whether somebody should look at the item."""
        return not self.aside and self.discrimination is not None and self.discrimination < BADLY

    @property
    def aside(self) -> str:
        """Why it cannot tell, where that may well be meant."""
        if self.index is None or _NEARLY < self.index < 1 - _NEARLY:
            return ""
        return "nearly all have it" if self.index > _NEARLY else "hardly anyone has it"


def difficulty(got: Sequence[float], of_others: Sequence[float], points: float) -> Difficulty:
    """The figures of one item.

    got: what each submission got for it; of_others: and for all other items; points: what there is.
    """
    index = fmean(got) / points if got and points else None
    if len(got) < ENOUGH:
        return Difficulty(index, None)
    try:
        return Difficulty(index, correlation(got, of_others))
    except StatisticsError:  # all alike, here or there
        return Difficulty(index, None)
