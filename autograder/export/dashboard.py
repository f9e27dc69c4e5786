"""A class's results on one page: the figures, who needs staff, where the class stumbled."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from statistics import median
from urllib.parse import quote

from autograder.course import Assignment, ByHand, Item, ItemResult, Mistake, Place, Result, Verdict
from autograder.export.difficulty import BADLY, ENOUGH, Difficulty, difficulty
from autograder.export.entry import STATES, Entry
from autograder.export.histogram import histogram
from autograder.export.page import LOOKS, write_page
from autograder.export.people import Who
from autograder.export.standing import Standing
from autograder.export.tally import Tally

__all__ = ["write_class_page"]

_MOST = 15  # mistakes that are shown at once
# Of the last two nobody knows yet whether they are right.
_NOT_WRONG = (Verdict.PASSED, Verdict.CARRIED, Verdict.UNREADABLE, Verdict.INTERNAL)
_WITHOUT_A_NAME = {
    "line": "a mistake without a name, that one line puts right.",
    "loop": "a loop that is not done in time.",
    "unknown": "a mistake without a name.",
}


@dataclass(frozen=True)
class _Figure:
    label: str
    value: float | None
    of: float | None = None


@dataclass(frozen=True)
class _Row:
    number: int  # on the page, from 0
    who: Who
    entry: Entry
    cells: list[ItemResult | None]  # one for each column; None: this result lacks the item

    @cached_property
    def points(self) -> dict[str, float]:
        """What counts, by item: people's points where they gave some, else the checks'."""
        checked = {each.item: each.score or 0.0 for each in self.entry.result.items}
        standing = self.entry.standing
        return checked | dict(standing.by_hand) if standing else checked

    @property
    def has_score(self) -> bool:
        return not self.entry.result.needs_staff


@dataclass(frozen=True)
class _Column:
    item: Item
    counts: list[tuple[Verdict, int]]  # how many got each verdict, in the order of LOOKS
    total: int
    difficulty: Difficulty

    @property
    def not_right(self) -> int:
        return sum(count for verdict, count in self.counts if verdict not in _NOT_WRONG)


@dataclass(frozen=True)
class _ByHand:
    """A part that people grade: how many they have, and how hard it was."""

    part: ByHand
    given: int
    waiting: int
    difficulty: Difficulty


@dataclass
class _Mistake:
    """What was done, by whom, and what it cost them all together, in points."""

    said: tuple[str, ...]  # of several, nothing tells which of them it is
    costs: float = 0.0
    made: dict[int, "_Made"] = field(default_factory=dict)  # by the number of the row


@dataclass(frozen=True)
class _Made:
    """By whom, and in which lines, where those are known and say more than the mistake's name."""

    row: _Row
    places: list[Place] = field(default_factory=list)


def write_class_page(
    results: Sequence[Result],
    assignment: Assignment,
    course_name: str,
    path: Path,
    feedback_links: Mapping[str, str],
    standings: Mapping[str, Standing] | None = None,
    people: Mapping[str, Who] | None = None,
    ungraded: Collection[str] = (),
) -> None:
    """Write the class page of an assignment to `path`, creating its folder.

    `feedback_links` has, for each student with a feedback page, its path relative to the folder
    of `path`; it is quoted here. standings: what the gradebook says, by student; people: everybody
    of the course, by id; ungraded: who has handed in and has no result yet. The same gives the
    same bytes.
    """
    people = people or {}
    rows = _rows(results, assignment, feedback_links, standings or {}, people)
    scored = [row for row in rows if row.has_score]
    entries = {row.who.student: row.entry for row in rows}
    tally = Tally(assignment, entries, people, ungraded)
    bars = histogram(tally.scores, assignment.max_score)
    by_hand = [_by_hand(part, scored) for part in assignment.manual]
    columns = [_column(item, at, rows, scored) for at, item in enumerate(assignment.items)]
    write_page(
        path,
        "export/class.html.jinja",
        assignment=assignment,
        course_name=course_name,
        figures=_figures(tally),
        tally=tally,
        staff=_troubles(rows),
        unwalled=sum(row.entry.result.sandbox == "none" for row in rows),
        bars=bars,
        tallest=max(bar.count for bar in bars),
        columns=columns,
        # In the table of everyone, the items begin in the third column.
        choices=[(at, each.item.title, each.not_right) for at, each in enumerate(columns, start=2)],
        by_hand=by_hand,
        scored=len(scored),
        enough=ENOUGH,
        badly=BADLY,
        rows=rows,
        seconds=_seconds(rows),
        hit={verdict: _hit(rows, verdict) for verdict in (Verdict.TIMEOUT, Verdict.MEMORY)},
        states={
            state: said
            for state, said in STATES.items()
            if tally.in_state[state] and state != "missing"  # who has no row
        },
        sections=sorted({row.who.section for row in rows if row.who.section}),
        mistakes=_mistakes(scored),
        most=_MOST,
        more=any(row.entry.standing for row in rows) and tally.is_more,
    )


def _rows(
    results: Sequence[Result],
    assignment: Assignment,
    links: Mapping[str, str],
    standings: Mapping[str, Standing],
    people: Mapping[str, Who],
) -> list[_Row]:
    rows = []
    for number, result in enumerate(sorted(results, key=lambda result: result.student)):
        student = result.student
        who = people.get(student, Who(student, student))
        # Quoted, a path cannot turn into an address with a scheme of its own: javascript:.
        link = quote(links[student]) if student in links else None
        entry = Entry(result, standings.get(student), link, who.unknown)
        found = {item.item: item for item in result.items}
        rows.append(_Row(number, who, entry, [found.get(item.id) for item in assignment.items]))
    return rows


def _troubles(rows: Sequence[_Row]) -> dict[tuple[tuple[str, str], ...], list[_Row]]:
    """What kept submissions from getting a score, or their whole one, with all whom it struck.

    A trouble is told by item, its title and message; where nothing could be read, without one.
    """
    struck: dict[tuple[tuple[str, str], ...], list[_Row]] = {}
    for row in rows:
        result = row.entry.result
        if result.asks_for_staff:
            lost = [each for each in result.items if each.verdict is Verdict.INTERNAL]
            why = [("", result.unreadable)] if result.unreadable else []
            told = why or [(f"{each.title} ({each.item})", each.message or "") for each in lost]
            told += [("", result.trouble)] if result.trouble else []
            struck.setdefault(tuple(told), []).append(row)
    return struck


def _mistakes(rows: Sequence[_Row]) -> list[_Mistake]:
    """The mistakes that most students made, each student counted once."""
    found: dict[tuple[str, ...], _Mistake] = {}
    for row in rows:
        for each in row.entry.result.mistakes:
            said = _said(each, row.entry.result)
            mistake = found.setdefault(said, _Mistake(said))
            mistake.costs += sum(each.costs.values())
            made = mistake.made.setdefault(row.number, _Made(row))
            if each.place and each.kind != "named":
                made.places.append(each.place)
    return sorted(found.values(), key=lambda each: (-len(each.made), -each.costs, each.said))


def _said(mistake: Mistake, result: Result) -> tuple[str, ...]:
    """What was done; of what has no name, where: others elsewhere did something else."""
    what = _WITHOUT_A_NAME.get(mistake.kind)
    if what is None:
        return mistake.what
    pays = next(iter((*mistake.costs, *mistake.items)), "")
    title = next((each.title for each in result.items if each.item == pays), "Somewhere")
    return (f"{f'In the cell {mistake.place.cell}' if mistake.place else title}: {what}",)


def _column(item: Item, index: int, rows: Sequence[_Row], scored: Sequence[_Row]) -> _Column:
    cells = [cell for row in rows if (cell := row.cells[index]) is not None]
    counts = Counter(cell.verdict for cell in cells)
    verdicts = [(verdict, counts[verdict]) for verdict in LOOKS if counts[verdict]]
    known = [row for row in scored if item.id in row.points]
    return _Column(item, verdicts, len(cells), _difficulty(item.id, item.points, known))


def _by_hand(part: ByHand, scored: Sequence[_Row]) -> _ByHand:
    standings = [row.entry.standing for row in scored if row.entry.standing]
    given = sum(part.id in each.by_hand for each in standings)
    waiting = sum(part.id in each.waiting for each in standings)
    # An answer that was left as it was handed out waits for nobody: it has 0 points.
    known = [x for x in scored if x.entry.standing and part.id not in x.entry.standing.waiting]
    return _ByHand(part, given, waiting, _difficulty(part.id, part.points, known))


def _difficulty(id: str, points: float, known: Sequence[_Row]) -> Difficulty:
    """Of an item, or of a part that people grade, against what the other items gave.

    known: whose points of it count already.
    """
    of_items = [
        sum(row.points.get(cell.item, 0.0) for cell in row.cells if cell and cell.item != id)
        for row in known
    ]
    return difficulty([row.points.get(id, 0.0) for row in known], of_items, points)


def _seconds(rows: Sequence[_Row]) -> dict[str, float]:
    """What grading took; nothing where nobody was graded."""
    took = [row.entry.result.seconds for row in rows]
    return {"median": median(took), "most": max(took)} if took else {}


def _hit(rows: Sequence[_Row], verdict: Verdict) -> int:
    """How many ran into a limit."""
    return sum(any(item.verdict is verdict for item in row.entry.result.items) for row in rows)


def _figures(tally: Tally) -> list[_Figure]:
    beside = {
        "to be read by people": tally.in_state["waits"],
        "late": tally.in_state["late"],
        "handed in, not graded": len(tally.waiting),
        "not handed in": tally.in_state["missing"],
        "not on the roster": tally.in_state["unknown"],
    }
    of = tally.assignment
    whose = "of the checks" if tally.is_more else "score"
    figures = [
        _Figure("graded", len(tally.scores), len(tally.entries)),
        _Figure("need staff", len(tally.entries) - len(tally.scores)),
        *(_Figure(label, count) for label, count in beside.items() if count),
        _Figure(f"mean {whose}", tally.mean, of.max_score),
        _Figure(f"median {whose}", tally.median, of.max_score),
    ]
    if tally.is_more and tally.mean_in_all is not None:
        figures.append(_Figure("mean in all", tally.mean_in_all, of.worth))
    return figures
