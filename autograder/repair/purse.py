"""What may be spent on finding where the mistakes of one submission stand.

Counts, not seconds, decide what is found: that must not hang on how busy a machine is.
"""

import time
from dataclasses import dataclass

__all__ = ["MOST_TRIED", "Purse"]

MOST_TRIED = 1500  # edits for one mistake
_MOST_IN_ALL = 3000  # for all of them; each is a cell that is run, and about one question


@dataclass
class Purse:
    """What is left of it, and when to stop in any case, on the monotonic clock."""

    until: float
    edits: int = _MOST_IN_ALL

    @property
    def is_empty(self) -> bool:
        """Whether nothing more is to be tried."""
        return self.edits <= 0 or time.monotonic() > self.until
