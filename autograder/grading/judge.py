"""What the checks found, as verdicts: an item passes when all of its checks do."""

from collections.abc import Mapping, Sequence

from autograder.checking import CheckOutcome
from autograder.course import Item, ItemResult, Verdict
from autograder.diagnosis import Diagnosis, named


def judge(item: Item, outcomes: Sequence[CheckOutcome]) -> ItemResult:
    """An item is passed when all of its checks are; else the first that is not speaks for it."""
    ours = [each for each in outcomes if each.item == item.id]
    internal = [each for each in ours if each.verdict is Verdict.INTERNAL]
    failed = internal or [each for each in ours if each.verdict is not Verdict.PASSED]
    if failed:
        return verdict_on(item, failed[0].verdict, failed[0].message, failed[0].advice)
    if not ours:
        return verdict_on(item, Verdict.INTERNAL, "no check looked at this item")
    return verdict_on(item, Verdict.PASSED, None)


def explained(items: Sequence[ItemResult], found: Mapping[str, Diagnosis]) -> list[ItemResult]:
    """The items with what explains them; what was told once is named again, and no more."""
    first: dict[tuple[str, ...], str] = {}
    explained = []
    for item in items:
        if diagnosis := found.get(item.item):
            faults = named(diagnosis.all_faults)
            before = first.setdefault(faults, item.item)
            text = str(diagnosis) if before == item.item else diagnosis.again(before)
            told = {each.id: each.sentence for each in diagnosis.all_faults}
            item = item.model_copy(update={"diagnosis": text, "faults": told})
        explained.append(item)
    return explained


def replaced(parts: Sequence[str]) -> str:
    """What is said of an item that is right except for these earlier parts."""
    return f"It is right: it passes once {parts_replaced(parts)}."


def parts_replaced(parts: Sequence[str]) -> str:
    """What was done to these earlier parts, in words."""
    said = " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))
    how = "is replaced by a right one" if len(parts) == 1 else "are replaced by right ones"
    return f"{said} {how}"


def carry(
    result: ItemResult, message: str, share: float, evidence: str | None = None
) -> ItemResult:
    """The result as `carried`, whose points are kept to this share."""
    if share < 1:
        message += f" The mistake there costs {1 - share:.0%} here."
    message = "\n".join(filter(None, (message, evidence)))
    score = result.points * share
    changes = {"score": score, "verdict": Verdict.CARRIED, "message": message}
    if evidence is None:
        changes["hint"] = None
    return result.model_copy(update=changes)


def verdict_on(
    item: Item, verdict: Verdict, message: str | None, hint: str | None = None
) -> ItemResult:
    """The result of an item with this verdict, and the score that goes with it."""
    score = None if verdict in (Verdict.UNREADABLE, Verdict.INTERNAL) else 0.0
    if verdict in (Verdict.PASSED, Verdict.CARRIED):
        score = item.points
    return ItemResult(
        item=item.id,
        title=item.title,
        points=item.points,
        score=score,
        verdict=verdict,
        message=message,
        hint=hint,
    )
