"""The mistakes of a submission, each told once: what, where, what it costs, what it touches."""

from collections.abc import Mapping, Sequence

from autograder.checking import CheckOutcome
from autograder.course import ItemResult, Mistake, Place, Verdict
from autograder.diagnosis import Diagnosis, Faults, named
from autograder.sandbox.failure import Failure


def mistakes_of(
    items: Sequence[ItemResult],
    outcomes: Sequence[CheckOutcome],
    found: Mapping[str, Diagnosis],
) -> tuple[Mistake, ...]:
    """The mistakes that the failed items show, the dearest first.

    found: what explains the items, where something does.
    """
    raised = {each.item: each.failure for each in reversed(outcomes) if each.failure}
    first: dict[object, Failure] = {}  # of those at one line: sizes in their words may differ
    raised = {
        item: first.setdefault((each.type, each.cell, each.line or each.message), each)
        for item, each in raised.items()
    }
    touched: dict[object, list[ItemResult]] = {}
    for item in items:
        for key in _keys(item, raised.get(item.item), found.get(item.item)):
            touched.setdefault(key, []).append(item)
    mistakes = [_mistake(key, theirs) for key, theirs in touched.items()]
    return tuple(sorted(mistakes, key=lambda each: -sum(each.costs.values())))


def _keys(item: ItemResult, failure: Failure | None, diagnosis: Diagnosis | None) -> list[object]:
    """What an item failed through: faults, an exception, or nothing that is known."""
    if diagnosis is not None:
        choices = (diagnosis.faults, *diagnosis.alternatives)
        certain = [each for each in diagnosis.faults if all(each in one for one in choices)]
        others = tuple(each for each in diagnosis.all_faults if each not in certain)
        return [*((each,) for each in certain), *([others] if others else [])]
    if item.verdict is Verdict.ERROR and failure is not None:
        return [failure]
    return [item.known] if item.known else []


def _mistake(key: object, items: Sequence[ItemResult]) -> Mistake:
    names = tuple(each.item for each in items)
    costs = {each.item: each.points - each.score for each in items if each.score is not None}
    about: dict[str, object] = {"items": names, "costs": {k: v for k, v in costs.items() if v}}
    about["example"] = next((each.example for each in items if each.known == key), None)
    return Mistake.model_validate(_told(key) | about)


def _told(key: object) -> dict[str, object]:
    if isinstance(key, Failure):
        said = f"{key.type}: {key.message}" if key.message else key.type
        place = None
        if key.cell is not None and key.line is not None:
            place = Place(cell=key.cell, line=key.line, source=key.source or "")
        return {"kind": "error", "what": (said,), "place": place}
    if isinstance(key, tuple):
        faults: Faults = key
        return {
            "kind": "named",
            "what": tuple(each.sentence for each in faults),
            "think": tuple(each.thought for each in faults),
            "faults": named(faults),
        }
    return {"kind": "unknown", "what": (), "proof": str(key)}
