"""What a student is told of where a mistake stands."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from autograder.repair.differing import SOMETHING


@dataclass(frozen=True)
class Located:
    """Where a mistake stands, proven by an edit there.

    line: of the cell, from 1, as exceptions count; source: that line; what: the piece of code in
    it; missing: that is not wrong by itself, but something is not there; items: those of which
    all is right after the edit; whole: whether all that is known of the cell is, which nothing is
    said of where a mistake that is named excuses what these items do not ask; others: later lines
    that read alike, and are wrong alike; beginning: of what is said of the piece;
    beside: it stands beside mistakes that are named, and that the edit need not mend; in_part: the
    items of which something else is wrong, too, which no line mends.
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
    beside: bool = False
    in_part: frozenset[str] = frozenset()

    @property
    def mends_all(self) -> bool:
        """Whether the edit leaves nothing wrong in the cell: what is named there is this, too."""
        return self.whole and not self.beside

    @property
    def said(self) -> str:
        """What the student reads beside the line."""
        right = f"everything that {'is asked of this cell' if self.whole else 'these items ask'}"
        but = " but for what is named already" if self.beside else ""
        also = f", and the same in line {', '.join(map(str, self.others))}" if self.others else ""
        if self.missing:
            return f"Something is missing at `{self.what}`{also}: with it, {right} is right{but}."
        return f"{self.beginning} `{self.what}`{also}, {right} is right{but}."

    def __str__(self) -> str:
        """The same, with the line."""
        return f"line {self.line} of the cell {self.cell}: {self.said}"


def joined(found: Iterable[Located]) -> list[Located]:
    """The same, where a line was found more than once: what it says then is true of all."""
    by_place: dict[tuple[str, int, str], Located] = {}
    for each in found:
        place = each.cell, each.line, each.what
        other = by_place.setdefault(place, each)
        items = tuple(dict.fromkeys(other.items + each.items))
        by_place[place] = replace(
            other,
            items=items,
            whole=other.whole and each.whole,
            beside=other.beside or each.beside,
            in_part=other.in_part | each.in_part,
        )
    return [*by_place.values()]
