"""The pairs side by side, on one page: what they share is marked, and nobody is accused."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from autograder.course import Assignment
from autograder.export import write_page
from autograder.similar.comparing import FLOOR, Compared, Pair, Rarity
from autograder.similar.marks import Mark, share_of
from autograder.similar.works import HandedOut, Work

__all__ = ["Skipped", "write_similar_page"]

_RARE = 0.5  # what counts less is marked less
_NUMBERS = 12  # of the stretches that one is the same as, are told


@dataclass(frozen=True)
class Skipped:
    """A submission that could not be compared, and why."""

    label: str
    why: str


@dataclass(frozen=True)
class _Run:
    """A stretch of shared code on one side: where, what it counts at most, and its marks."""

    start: int
    end: int
    weight: float
    keys: frozenset[int]


@dataclass(frozen=True)
class _Piece:
    """A piece of text, and what is to be seen of it."""

    text: str
    numbers: str = ""  # of the stretches that it belongs to, on its first piece
    shade: str = ""  # "rare" or "less" within a stretch
    own: bool = False  # a name, a comment or a text that both have


@dataclass(frozen=True)
class _Side:
    label: str
    cells: list[tuple[str, list[_Piece]]]


@dataclass(frozen=True)
class _Shown:
    pair: Pair
    counts: dict[str, float]  # by kind, what the score is made of
    names: list[str]
    mistakes: list[str]
    stretches: int
    sides: list[_Side]


def write_similar_page(
    compared: Compared,
    assignment: Assignment,
    course_name: str,
    given: HandedOut,
    works: Sequence[Work],
    skipped: Sequence[Skipped],
    path: Path,
) -> None:
    """Write the page to `path`, creating its folder; the same gives the same bytes."""
    write_page(
        path,
        "export/similar.html.jinja",
        assignment=assignment,
        course_name=course_name,
        compared=compared,
        shown=[_show(each, given, compared.rarity) for each in compared.pairs],
        programs=len(works),
        earlier=sum(each.folder is not None for each in works),
        bare=sum(not each.keys.size for each in works),
        skipped=skipped,
        floor=FLOOR,
    )


def _show(pair: Pair, given: HandedOut, rarity: Rarity) -> _Shown:
    shared = {int(key) for key in set(pair.left.keys.tolist()) & set(pair.right.keys.tolist())}
    weights = {key: rarity.of(key) for key in shared}
    weights = {key: weight for key, weight in weights.items() if weight}
    sides, numbered = [], list[_Run]()
    counts: dict[str, dict[int, float]] = {"code": {}, "name": {}, "words": {}, "mistake": {}}
    names = set[str]()
    for work in (pair.left, pair.right):
        cells = []
        for title, text in work.cells:
            found = [mark for mark in given.own(text) if mark.key in weights]
            for mark in found:
                counts[mark.kind][mark.key] = weights[mark.key] * share_of(mark.key)
            names |= {text[each.start : each.end] for each in found if each.kind == "name"}
            runs = list(_runs([each for each in found if each.kind == "code"], weights))
            if work is pair.left:
                numbered += runs
            words = [(each.start, each.end) for each in found if each.kind != "code"]
            cells.append((title, list(_pieces(text, runs, words, _numbers(numbered)))))
        sides.append(_Side(work.label, cells))
    mistakes = sorted(what for key, what in pair.left.mistakes.items() if key in weights)
    counts["mistake"] = {key: weights[key] for key in pair.left.mistakes if key in weights}
    sums = {kind: sum(sorted(of.values())) for kind, of in counts.items() if of}
    return _Shown(pair, sums, sorted(names), mistakes, len(numbered), sides)


def _runs(found: Sequence[Mark], weights: dict[int, float]) -> Iterator[_Run]:
    """The marks that follow on each other, joined."""
    run: _Run | None = None
    for mark in found:
        weight, keys = weights[mark.key], frozenset([mark.key])
        if run and mark.start <= run.end:
            run = _Run(run.start, mark.end, max(run.weight, weight), run.keys | keys)
        else:
            if run:
                yield run
            run = _Run(mark.start, mark.end, weight, keys)
    if run:
        yield run


def _numbers(runs: Sequence[_Run]) -> Mapping[int, list[int]]:
    """The first few numbers of the stretches, from 1, in which each mark is."""
    found = defaultdict[int, list[int]](list)
    for number, run in enumerate(runs, 1):
        for key in run.keys:
            if len(found[key]) <= _NUMBERS:
                found[key].append(number)
    return found


def _pieces(
    text: str,
    runs: Sequence[_Run],
    words: Sequence[tuple[int, int]],
    numbers: Mapping[int, list[int]],
) -> Iterator[_Piece]:
    """The text in pieces. runs, words: in their order, of which none overlap."""
    ends = {0, len(text), *(at for run in runs for at in (run.start, run.end))}
    ends |= {at for word in words for at in word}
    of_runs, of_words = [each.start for each in runs], [at for at, _ in words]
    for start, end in pairwise(sorted(ends)):
        before, word = bisect_right(of_runs, start) - 1, bisect_right(of_words, start) - 1
        run = runs[before] if before >= 0 and start < runs[before].end else None
        own = word >= 0 and start < words[word][1]
        shade = "" if run is None else "rare" if run.weight >= _RARE else "less"
        told = ""
        if run and run.start == start:
            same = sorted({at for key in run.keys for at in numbers[key]})
            more = ["\u2026"] if len(same) > _NUMBERS else []
            told = ", ".join([*map(str, same[:_NUMBERS]), *more])
        yield _Piece(text[start:end], told, shade, own)
