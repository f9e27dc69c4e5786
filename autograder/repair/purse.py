"""What may be spent on finding where the mistakes of one submission stand.

Prices, not seconds, decide what is found: that must not hang on how busy a machine is.
"""

import time
from dataclasses import dataclass

__all__ = ["ALL", "KEPT", "Purse"]

ALL = 3000.0  # milliseconds of a usual processor
KEPT = ALL / 10  # for each cell to come: none takes what another needs
# Fitted to 120 searches behind sandlock on a busy machine: half took 0.96 to 1.57 of their price.
_CELL = 0.45  # to run a cell, and to look at what comes back
_FORK = 45.0  # to begin one, and to run a submission's cells in it


@dataclass
class Purse:
    """What is left of it, and when to stop in any case, on the monotonic clock.

    kept: so much of it is for what is looked at later.
    """

    until: float
    left: float = ALL
    kept: float = 0.0

    def pay(self, asked: float, cells: int = 0, forks: int = 0) -> None:
        """asked: what the questions take, in milliseconds; cells, forks: how many were run."""
        self.left -= asked + cells * _CELL + forks * _FORK

    def is_down_to(self, least: float) -> bool:
        """Whether no more than `least` is left, or no time."""
        return self.left <= max(least, self.kept) or time.monotonic() > self.until
