"""What a submission prints: nothing is kept of it, and there is an end to it."""

import io


class BoundedOutput(io.TextIOBase):
    """What the submission prints goes nowhere, and not without end."""

    def __init__(self, max_bytes: int) -> None:
        super().__init__()
        self._max, self._left = max_bytes, max_bytes

    def writable(self) -> bool:
        """Always."""
        return True

    def write(self, text: str) -> int:
        """Count; raises OutputError once more than the limit has been printed."""
        self._left -= len(text)
        if self._left < 0:
            raise OutputError(f"more than {self._max:,} bytes were printed")
        return len(text)


class OutputError(Exception):
    """The submission printed more than it may."""
