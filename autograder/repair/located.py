"""What a student is told of where a mistake stands."""

from dataclasses import dataclass

from autograder.repair.differing import SOMETHING


@dataclass(frozen=True)
class Located:
    """Where a mistake stands, proven by an edit there.

    line: of the cell, from 1, as exceptions count; source: that line; what: the piece of code in
    it; missing: that is not wrong by itself, but something is not there; items: those of which
    all is right after the edit; whole: whether all that is known of the cell is; others:
    later lines that read alike, and are wrong alike; beginning: of what is said of the piece.
    """

    cell: str
    line: int
    source: str
    what: str
    missing: bool
    items: tuple[str, ...]
    whole: bool
    others: tuple[int, ...] = ()
    beginning: str = SOMETHING

    @property
    def said(self) -> str:
        """What the student reads beside the line."""
        right = f"everything that {'is asked of this cell' if self.whole else 'these items ask'}"
        also = f", and the same in line {', '.join(map(str, self.others))}" if self.others else ""
        if self.missing:
            return f"Something is missing at `{self.what}`{also}: with it, {right} is right."
        return f"{self.beginning} `{self.what}`{also}, {right} is right."

    def __str__(self) -> str:
        """The same, with the line."""
        return f"line {self.line} of the cell {self.cell}: {self.said}"
