"""The smallest example as small grids: what came beside what is right."""

from dataclasses import dataclass
from itertools import product

from autograder.course import SmallestExample

__all__ = ["Grid", "grids", "side_by_side"]

_HEADS = "yours", "right"
_OFF = "*"  # marks what differs


@dataclass(frozen=True)
class Grid:
    """The last two axes of an example: of each number what came and what is right, as written."""

    at: str  # where in the other axes, as in "[0, 1]"; "" where there is but one place
    rows: tuple[tuple[tuple[str, str], ...], ...]


def grids(example: SmallestExample) -> list[Grid]:
    """The numbers of an example; none where it is not numbers that are wrong."""
    *_, height, width = (1, 1, *example.shape)
    pairs = list(zip(example.got, example.expected, strict=True))
    rows = [tuple(pairs[at : at + width]) for at in range(0, len(pairs), width or 1)]
    blocks = [tuple(rows[at : at + height]) for at in range(0, len(rows), height or 1)]
    places = [str(list(each)) for each in product(*map(range, example.shape[:-2]))]
    if len(blocks) == 1:
        places = [""]
    return [Grid(*each) for each in zip(places, blocks, strict=False)]


def side_by_side(example: SmallestExample) -> list[str]:
    """The numbers as aligned lines, with a mark at those of theirs that differ."""
    lines = []
    for grid in grids(example):
        yours = [
            [f"{got}{_OFF if got != right else ' '}" for got, right in row] for row in grid.rows
        ]
        ours = [[right for _, right in row] for row in grid.rows]
        sides = _aligned(yours), _aligned(ours)
        room = max(len(_HEADS[0]), *map(len, sides[0]))
        lines += [grid.at] if grid.at else []
        lines += [f"{left:{room}}   {right}" for left, right in zip(*_headed(sides), strict=True)]
    return lines


def _headed(sides: tuple[list[str], list[str]]) -> tuple[list[str], list[str]]:
    return [_HEADS[0], *sides[0]], [_HEADS[1], *sides[1]]


def _aligned(rows: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.rjust, row, widths)).rstrip() for row in rows]
