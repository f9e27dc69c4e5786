"""One mistake, one price: a mistake costs the item meant to catch it, and the others are carried.

Only where the numbers prove that an item fails through known mistakes and nothing else; and only
where it still proves what it is there for. An item stands for what people do wrong in it: if next
to none of that would be seen beside a mistake, as beside a constant that is returned, it is not
carried.
"""

from collections.abc import Callable, Collection, Mapping, Sequence

from autograder.course import ItemResult, Verdict
from autograder.diagnosis import Diagnosis
from autograder.grading.judge import carry
from autograder.grading.leftover import Leftover
from autograder.repair import Located

_MAY_BE_CARRIED = (Verdict.WRONG, Verdict.ERROR)


def charge_once(
    items: Sequence[ItemResult],
    found: Mapping[str, Diagnosis],
    fails_alone: Callable[[str, Diagnosis], bool],
    share: float,
) -> tuple[list[ItemResult], dict[str, str]]:
    """The items with each explained mistake paid for once, and which item pays for each fault.

    fails_alone: whether an item fails through what explains it and nothing else.
    """
    failed = {each.item: each for each in items if each.verdict in _MAY_BE_CARRIED}
    found = {item: each for item, each in found.items() if item in failed}
    payers = _payers(failed, found)
    titles = {each.item: each.title for each in items}
    charged = []
    for item in items:
        diagnosis = found.get(item.item)
        if diagnosis and item.item not in payers.values() and fails_alone(item.item, diagnosis):
            where = dict.fromkeys(titles[payers[each.id]] for each in diagnosis.faults)
            once = f"Once {diagnosis.once}, it" if diagnosis.once else "It"
            said = f"{once} is right except for {_mistakes_in(list(where))}."
            item = carry(item, said, share, item.message)
        charged.append(item)
    return charged, payers


def charge_proven(
    items: Sequence[ItemResult],
    proven: Sequence[Located | Leftover],
    paid: Collection[str],
    share: float,
) -> list[ItemResult]:
    """The items with each mistake paid for once that a line proves, or a fresh process.

    It costs the item among those that failed that is worth most, the first of several, unless one
    of them has paid.
    """
    failed = {each.item: each for each in items if each.verdict in _MAY_BE_CARRIED}
    right_but_for: dict[str, Located | Leftover] = {}
    paying = set(paid)
    for each in proven:
        touched = [item for item in failed if item in each.items]
        alone = [item for item in touched if item not in each.in_part]
        # Of what calls leave, an item pays in which nothing else is wrong.
        may_pay = (alone or touched) if isinstance(each, Leftover) else touched
        if may_pay and paying.isdisjoint(may_pay):
            paying.add(max(may_pay, key=lambda item: failed[item].points))
        right_but_for = dict.fromkeys(alone, each) | right_but_for
    return [
        carry(item, _right_but_for(right_but_for[item.item]), share, item.message)
        if item.item in right_but_for and item.item not in paying
        else item
        for item in items
    ]


def _right_but_for(mistake: Located | Leftover) -> str:
    if isinstance(mistake, Leftover):
        return "It is right except for what is left from call to call."
    named = " and for what is named already" if mistake.beside else ""
    line = f"the mistake in line {mistake.line} of the cell {mistake.cell}"
    return f"It is right except for {line}{named}."


def _mistakes_in(titles: Sequence[str]) -> str:
    said = " and ".join(f"\u201c{each}\u201d" for each in titles)
    return f"the mistake in {said}" if len(titles) == 1 else f"the mistakes in {said}"


def _payers(failed: Mapping[str, ItemResult], found: Mapping[str, Diagnosis]) -> dict[str, str]:
    """For each fault the item that pays: the one meant to catch it, or the one worth most.

    An item that is worth nothing, as one that was dropped, cannot pay. Who thinks the same wrong of
    two parts, as of both layers, pays in that which is worth more, the first of several.
    """
    payers: dict[str, str] = {}
    faults = dict.fromkeys(fault for each in found.values() for fault in each.faults)
    for fault in faults:
        same = [each for each in faults if each.sentence == fault.sentence]
        touched = [x for x in failed if x in found and fault.sentence in found[x].sentences]
        meant = [x for each in same if (x := each.item) in touched and failed[x].points]
        payers[fault.id] = max(meant or touched, key=lambda item: failed[item].points)
    return payers
