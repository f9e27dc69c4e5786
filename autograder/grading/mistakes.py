"""The mistakes of a submission, each told once: what, where, what it costs, what it touches."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from autograder.checking import CheckOutcome
from autograder.course import ItemResult, Mistake, Place, Verdict
from autograder.diagnosis import Diagnosis, Fault, Faults, named
from autograder.grading.behind import TO_DIAGNOSE
from autograder.grading.leftover import Leftover
from autograder.repair import Located, Undone
from autograder.sandbox import wire
from autograder.sandbox.failure import Failure

_ENDLESS = "Does it ever end? And could it be a tensor operation?"
_LEFT = (
    "What outlives a call, or is shared by two modules: an attribute of the class, a global, a "
    "cache, a default argument that is changed, or memory that nothing was written to?"
)
_UNDONE = "This line does nothing. Is something missing there?"


@dataclass(frozen=True)
class _Unsaid:
    """An exception that is raised as it should be, but in words that leave something out."""

    failure: Failure

    @property
    def where(self) -> tuple[str | None, int | None]:
        return self.failure.cell, self.failure.line


@dataclass(frozen=True)
class _Loop:
    """One that a call was still in when its time was over."""

    at: Failure


def mistakes_of(
    items: Sequence[ItemResult],
    outcomes: Sequence[CheckOutcome],
    found: Mapping[str, Diagnosis],
    payers: Mapping[str, str],
    located: Sequence[Located],
    leftover: Sequence[Leftover],
    undone: Mapping[str, Undone],
) -> tuple[Mistake, ...]:
    """The mistakes that the failed items show, the dearest first.

    found: what explains the items, where something does; payers: the item that pays, by fault;
    located: where mistakes stand; leftover: what calls leave behind; undone: by item, a line that
    does nothing.
    """
    unsaid = {
        each.item: _Unsaid(each.failure)
        for each in reversed(outcomes)
        if each.failure and each.verdict is Verdict.WRONG
    }
    raised = {
        each.item: each.failure
        for each in reversed(outcomes)
        if each.failure and each.verdict is not Verdict.WRONG
    }
    raised = _one_of_each_line(raised)
    loops = _one_of_each_line({each.item: each.loop for each in reversed(outcomes) if each.loop})
    ways = _as_one(fault for each in found.values() for fault in each.certain)
    # A line with which all is right is where what is known of its cell stands.
    same: dict[object, list[object]] = {
        line: [
            key
            for item, each in found.items()
            if item in line.items and not each.partly
            for key in _keys_of(each, ways)
        ]
        for line in located
        if line.mends_all
    }
    same |= {line: [x] for line in located for x in leftover if x.has(line.items)}
    touched: dict[object, list[ItemResult]] = {}
    for item in items:
        lines: list[Located | Leftover] = [*located, *leftover]
        lines = [each for each in lines if item.item in each.items]
        said: Failure | _Unsaid | _Loop | None = raised.get(item.item) or unsaid.get(item.item)
        if item.verdict is Verdict.TIMEOUT:
            said = _Loop(loops[item.item]) if item.item in loops else None
        keys = _keys(item, said, found.get(item.item), lines, ways)
        for one in dict.fromkeys(one for key in keys for one in (same.get(key) or [key])):
            touched.setdefault(one, []).append(item)
    # An exception that a repair puts right in some items, and hides more in others, is one mistake.
    at = {(each.cell, each.line): each for each in touched if isinstance(each, Failure)}
    for line in [each for each in touched if isinstance(each, Located)]:
        if failure := at.get((line.cell, line.line)):
            both = {x.item for x in (*touched[failure], *touched.pop(line))}
            touched[failure] = [each for each in items if each.item in both]
    # What an item lost is told once: of the mistake that it is there to catch.
    costs: dict[object, dict[str, float]] = {key: {} for key in touched}
    for item in items:
        theirs = [key for key, each in touched.items() if item in each]
        if theirs and item.score is not None and item.score < item.points:
            meant = [key for key in theirs if item.item in _paying(key, payers)]
            rest = [key for key in theirs if not isinstance(key, tuple)]  # beside what is known
            costs[(meant or rest or theirs)[0]][item.item] = item.points - item.score
    mistakes = [
        _with_what_is_undone(
            _mistake(key, theirs, costs[key], _lines_of(key, touched, located, same)), undone
        )
        for key, theirs in touched.items()
    ]
    named = [each.place for each in mistakes if each.kind == "named" and each.place]
    told = [each for each in mistakes if each.costs or each.place not in named]
    return tuple(sorted(told, key=lambda each: -sum(each.costs.values())))


def _one_of_each_line(raised: Mapping[str, Failure]) -> dict[str, Failure]:
    """By item; of those at one line the first, for sizes in their words may differ."""
    first: dict[object, Failure] = {}
    return {
        item: first.setdefault((each.type, each.cell, each.line or each.message), each)
        for item, each in raised.items()
    }


def _as_one(faults: Iterable[Fault]) -> dict[str, Faults]:
    """By what is wrong, those that say so: one of each part, in the first way it is written."""
    first: dict[str, dict[str, Fault]] = {}
    for fault in faults:
        first.setdefault(fault.sentence, {}).setdefault(fault.component, fault)
    return {sentence: tuple(each.values()) for sentence, each in first.items()}


def _lines_of(
    key: object,
    touched: Mapping[object, Sequence[ItemResult]],
    located: Sequence[Located],
    same: Mapping[object, Sequence[object]],
) -> list[Located]:
    """The lines that may be a known mistake's: they mend what it alone explains, if it does."""
    if isinstance(key, Leftover):
        return [each for each in located if key in same.get(each, ())]
    others = {x.item for other in touched if other != key for x in _known_in(other, touched)}
    names = {each.item for each in _known_in(key, touched)}
    alone = names - others or names
    return [x for x in located if not (x.beside or alone.isdisjoint(x.items))]


def _known_in(key: object, touched: Mapping[object, Sequence[ItemResult]]) -> Sequence[ItemResult]:
    return touched[key] if isinstance(key, tuple) else ()


def _mistake(
    key: object,
    items: Sequence[ItemResult],
    costs: Mapping[str, float],
    lines: Sequence[Located],
) -> Mistake:
    """lines: that are its own."""
    names = tuple(each.item for each in items)
    about: dict[str, object] = {"items": names, "costs": costs}
    if len(lines) == 1:  # a known mistake, whose line is found, too
        about |= {"place": _place(lines[0]), "proof": wire.text(lines[0].said, 1000)}
    known = [each for each in items if each.known == key]
    about["example"] = example = next((each.example for each in known), None)
    if known and example is None and known[0].message:  # then what came in its place
        about["proof"] = f"{key}\n{known[0].message}"
    return Mistake.model_validate(_told(key) | about)


def _with_what_is_undone(mistake: Mistake, undone: Mapping[str, Undone]) -> Mistake:
    """With a line that does nothing, where that is not explained by what is known already."""
    line = next((undone[each] for each in mistake.items if each in undone), None)
    if line is None or mistake.kind not in ("unknown", "error"):
        return mistake
    if mistake.place is None:
        return mistake.model_copy(update={"place": _place(line), "think": (_UNDONE,)})
    where = f"Line {line.line} of the cell {line.cell}, `{line.source}`: {_UNDONE}"
    return mistake.model_copy(update={"think": (where,)})


def _paying(key: object, payers: Mapping[str, str]) -> set[str]:
    return {payers.get(each.id, "") for each in key} if isinstance(key, tuple) else set()


def _keys(
    item: ItemResult,
    failure: Failure | _Unsaid | _Loop | None,
    diagnosis: Diagnosis | None,
    lines: Sequence[Located | Leftover],
    ways: Mapping[str, Faults],
) -> list[object]:
    """What an item failed through: faults, a line, an exception, or nothing that is known."""
    if isinstance(failure, _Unsaid):  # what is left out says more than that something is missing
        lines = [x for x in lines if isinstance(x, Leftover) or (x.cell, x.line) != failure.where]
    rest: list[object] = list(lines) or ([failure] if failure is not None else [])
    if diagnosis is not None:
        left = [each for each in lines if isinstance(each, Leftover)]
        return [*_keys_of(diagnosis, ways), *(rest if diagnosis.partly else left)]
    if lines:
        return rest
    if item.verdict not in TO_DIAGNOSE:
        return rest if isinstance(failure, _Loop) else []
    if rest and (item.verdict is Verdict.ERROR or isinstance(failure, _Unsaid)):
        return rest
    # What raises in one question says nothing of numbers that are wrong in another.
    return [*rest, item.known or f"No known mistake explains it.\n{item.message}"]


def _keys_of(diagnosis: Diagnosis, ways: Mapping[str, Faults]) -> list[object]:
    uncertain = [diagnosis.uncertain] if diagnosis.uncertain else []
    return [*dict.fromkeys(ways[each.sentence] for each in diagnosis.certain), *uncertain]


def _raised_at(failure: Failure) -> Place | None:
    if failure.cell is None or failure.line is None:
        return None
    return Place(cell=failure.cell, line=failure.line, source=failure.source or "")


def _place(located: Located | Undone) -> Place:
    # The line as its student wrote it, with whatever a text may hold.
    return Place(cell=located.cell, line=located.line, source=wire.text(located.source, 200))


def _told(key: object) -> dict[str, object]:
    if isinstance(key, Located):
        return {"kind": "line", "what": (wire.text(key.said, 1000),), "place": _place(key)}
    if isinstance(key, Leftover):
        return {"kind": "leftover", "what": (key.said,), "think": (_LEFT,), "proof": key.proof}
    if isinstance(key, _Unsaid):
        return {"kind": "line", "what": (key.failure.message,), "place": _raised_at(key.failure)}
    if isinstance(key, Failure):
        said = f"{key.type}: {key.message}" if key.message else key.type
        return {"kind": "error", "what": (said,), "place": _raised_at(key)}
    if isinstance(key, _Loop):
        said = key.at.message
        return {"kind": "loop", "what": (said,), "think": (_ENDLESS,), "place": _raised_at(key.at)}
    if isinstance(key, tuple):
        faults: Faults = key
        told = {each.sentence: each for each in faults}.values()
        return {
            "kind": "named",
            "what": tuple(each.sentence for each in told),
            "think": tuple(each.thought for each in told),
            "faults": named(faults),
        }
    return {"kind": "unknown", "what": (), "proof": str(key)}
