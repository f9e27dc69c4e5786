"""Scores as bars of one round width."""

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
    high: float  # not counted itself, but in the last bar
    count: int


def histogram(scores: Sequence[float], max_score: float) -> list[Bar]:
    """Count the scores in bars of one round width that together reach from 0 to the maximum."""
    width = next((w for w in _BAR_WIDTHS if max_score / w <= _MOST_BARS), max_score / _MOST_BARS)
    bars = max(1, ceil(max_score / width))
    # Rounded, so that 0.3 is the third edge of bars 0.1 wide and not a little less. Extra points
    # lie beyond the maximum; the last bar takes them in.
    counts = Counter(min(int(round(score / width, 6)), bars - 1) for score in scores)
    edges = [*(round(bar * width, 6) for bar in range(bars)), max_score]
    return [Bar(edges[bar], edges[bar + 1], counts[bar]) for bar in range(bars)]
