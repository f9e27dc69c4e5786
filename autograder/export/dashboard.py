"""A class's results on one page: the figures, who needs staff, where the class stumbled."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from statistics import fmean, median
from urllib.parse import quote

from autograder.course import Assignment, Item, ItemResult, Result, Verdict
from autograder.export.page import LOOKS, write_page
from autograder.export.standing import Standing

__all__ = ["write_class_page"]

_MOST_BARS = 12
_MOST = 15  # mistakes that are shown
_WITHOUT_A_NAME = {
    "line": ("A mistake without a name, that one line puts right.",),
    "unknown": ("A mistake without a name.",),
}
_BAR_WIDTHS = (0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1000)  # in points


@dataclass(frozen=True)
class _Figure:
    label: str
    value: float | None
    of: float | None = None


@dataclass(frozen=True)
class _Bar:
    low: float  # of the scores it counts
    high: float  # not counted itself, but in the last bar
    count: int


@dataclass(frozen=True)
class _Row:
    result: Result
    link: str | None
    cells: list[ItemResult | None]  # one for each column; None: this result lacks the item
    standing: Standing | None

    @property
    def total(self) -> float | None:
        """The score with what people gave and what late work costs, as far as it is known."""
        return self.standing.score(self.result) if self.standing else self.result.score


@dataclass(frozen=True)
class _Column:
    item: Item
    counts: list[tuple[Verdict, int]]  # how many got each verdict, in the order of LOOKS
    total: int


@dataclass(frozen=True)
class _Mistake:
    """What was done, by whom, and what it cost them all together, in points."""

    said: tuple[str, ...]  # of several, nothing tells which of them it is
    rows: list[_Row]
    costs: float


def write_class_page(
    results: Sequence[Result],
    assignment: Assignment,
    course_name: str,
    path: Path,
    feedback_links: Mapping[str, str],
    standings: Mapping[str, Standing] | None = None,
) -> None:
    """Write the class page of an assignment to `path`, creating its folder.

    `feedback_links` has, for each student with a feedback page, its path relative to the folder
    of `path`; it is quoted here. standings: what the gradebook says, by student. The same gives
    the same bytes.
    """
    rows = [
        _row(result, assignment, feedback_links, (standings or {}).get(result.student))
        for result in sorted(results, key=lambda result: result.student)
    ]
    scores = [result.score for result in results if result.score is not None]
    bars = _histogram(scores, assignment.max_score)
    write_page(
        path,
        "export/class.html.jinja",
        assignment=assignment,
        course_name=course_name,
        figures=_figures(rows, scores, assignment.max_score),
        staff=[row for row in rows if row.result.asks_for_staff],
        unwalled=sum(result.sandbox == "none" for result in results),
        bars=bars,
        tallest=max(bar.count for bar in bars),
        columns=[_column(item, index, rows) for index, item in enumerate(assignment.items)],
        rows=rows,
        mistakes=_mistakes(rows),
        most=_MOST,
        more=any(row.standing for row in rows)
        and (bool(assignment.manual) or any(row.total != row.result.score for row in rows)),
        late=any(row.standing and row.standing.penalty for row in rows),
    )


def _mistakes(rows: Sequence[_Row]) -> list[_Mistake]:
    """The mistakes that most students made, each student counted once."""
    made: dict[tuple[str, ...], dict[str, _Row]] = {}
    costs: dict[tuple[str, ...], float] = {}
    for row in rows:
        for each in row.result.mistakes:
            said = _WITHOUT_A_NAME.get(each.kind, each.what)
            made.setdefault(said, {})[row.result.student] = row
            costs[said] = costs.get(said, 0) + sum(each.costs.values())
    often = sorted(made, key=lambda said: (-len(made[said]), -costs[said], said))
    return [_Mistake(each, list(made[each].values()), costs[each]) for each in often]


def _row(
    result: Result, assignment: Assignment, links: Mapping[str, str], standing: Standing | None
) -> _Row:
    link = links.get(result.student)
    found = {item.item: item for item in result.items}
    # Quoted, a path cannot turn into an address with a scheme of its own, such as javascript:.
    return _Row(
        result,
        None if link is None else quote(link),
        [found.get(item.id) for item in assignment.items],
        standing,
    )


def _column(item: Item, index: int, rows: Sequence[_Row]) -> _Column:
    cells = [cell for row in rows if (cell := row.cells[index]) is not None]
    counts = Counter(cell.verdict for cell in cells)
    return _Column(
        item, [(verdict, counts[verdict]) for verdict in LOOKS if counts[verdict]], len(cells)
    )


def _figures(rows: Sequence[_Row], scores: Sequence[float], max_score: float) -> list[_Figure]:
    waiting = sum(bool(row.standing and row.standing.waiting) for row in rows)
    late = sum(bool(row.standing and row.standing.seconds_late) for row in rows)
    return [
        _Figure("graded", len(scores), len(rows)),
        _Figure("need staff", len(rows) - len(scores)),
        *([_Figure("to be read by people", waiting)] if waiting else []),
        *([_Figure("late", late)] if late else []),
        _Figure("mean score", fmean(scores) if scores else None, max_score),
        _Figure("median score", median(scores) if scores else None, max_score),
    ]


def _histogram(scores: Sequence[float], max_score: float) -> list[_Bar]:
    """Count the scores in bars of one round width that together reach from 0 to the maximum."""
    width = next((w for w in _BAR_WIDTHS if max_score / w <= _MOST_BARS), max_score / _MOST_BARS)
    bars = max(1, ceil(max_score / width))
    # Rounded, so that 0.3 is the third edge of bars 0.1 wide and not a little less. Extra points
    # lie beyond the maximum; the last bar takes them in.
    counts = Counter(min(int(round(score / width, 6)), bars - 1) for score in scores)
    edges = [*(round(bar * width, 6) for bar in range(bars)), max_score]
    return [_Bar(edges[bar], edges[bar + 1], counts[bar]) for bar in range(bars)]
