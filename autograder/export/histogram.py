"""Scores as bars of one round width, and one of those who have it all."""

from bisect import bisect
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

__all__ = ["Bar", "histogram"]

_MOST_BARS = 12
_BAR_WIDTHS = (0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1000)  # in points


@dataclass(frozen=True)
class Bar:
    """How many scores lie in a range."""

    low: float  # of the scores it counts
    high: float | None  # not counted itself; None: the last bar, of full marks and of extra points
    count: int


def histogram(scores: Sequence[float], max_score: float) -> list[Bar]:
    """Count the scores in bars of one round width from 0 to the maximum, and there in another."""
    width = next((w for w in _BAR_WIDTHS if max_score / w <= _MOST_BARS), max_score / _MOST_BARS)
    # Rounded, so that 0.3 is the third edge of bars 0.1 wide and not a little less.
    edges = [
        *(round(bar * width, 6) for bar in range(ceil(max_score / width))),
        round(max_score, 6),
    ]
    counts = Counter(bisect(edges, round(score, 6)) - 1 for score in scores)
    highs = [*edges[1:], None]
    return [
        Bar(low, high, counts[at]) for at, (low, high) in enumerate(zip(edges, highs, strict=True))
    ]
