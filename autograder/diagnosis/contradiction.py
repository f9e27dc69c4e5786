"""What speaks against an explanation: a failed item in which its fault is not seen."""

from collections.abc import Iterable, Mapping, Sequence

from autograder.diagnosis.agreement import Agreement
from autograder.diagnosis.choices import Choices
from autograder.diagnosis.explained import Diagnosis, all_of
from autograder.diagnosis.fault import Fault, Faults

_LOOKED_AT = 3  # cases of an item that may speak against a fault


def without_contradiction(
    ours: Agreement, choices: Choices, found: Mapping[str, Diagnosis], together: Faults = ()
) -> dict[str, Diagnosis]:
    """Those, by item, that the other failed items do not speak against.

    Where a fault shows in an item that it does not explain, another mistake may hide it; but
    if it is seen in no case there, with any other fault, it was not made. An exception hides
    everything, and so does a result of another shape: then the items that it explains must be as
    many as the others. together: what explains items for certain, and may be at work at once.
    """
    cited = {item: {x.mistake for x in each.all_faults} for item, each in found.items()}
    several = (together, *(each.faults for each in found.values()))
    known = [*dict.fromkeys(several), *choices.largest]
    ways: dict[tuple[str, str], list[Fault]] = {}
    for fault in all_of(each.all_faults for each in found.values()):
        ways.setdefault(fault.mistake, []).append(fault)
    doubtful = set()
    for mistake, faults in ways.items():
        others = [x for x in ours.items if mistake not in cited.get(x, ())]
        # Where little is asked, one way of writing it is as good as another: any may be theirs.
        seen = [_any(_is_seen(ours, choices, x, item, known) for x in faults) for item in others]
        if False in seen or seen.count(None) > len(ours.items) - len(others):
            doubtful.add(mistake)
    return {item: each for item, each in found.items() if doubtful.isdisjoint(cited[item])}


def _is_seen(
    ours: Agreement, choices: Choices, fault: Fault, item: str, known: Sequence[Faults]
) -> bool | None:
    """Whether a fault that shows in an item is seen there; None where what came hides it.

    known: what explains others, or some of all.
    """
    places = [each for each in ours.of(item) if each in ours.wrong]
    shows = [each for each in places if ours.is_apart((fault,), [each])]
    answered = [each for each in shows if not ours.hides((fault,), each)][:_LOOKED_AT]
    if not answered:
        return None if shows else True
    if any(ours.share((fault,), each) for each in answered):
        return True
    beside = [each for each in known if fault.mistake in {x.mistake for x in each}]
    if any(ours.agrees(faults, each) for faults in beside for each in answered):
        return True
    may_be = [x for x in choices.with_another([(fault,)]) if any(item in each.shows for each in x)]
    asked = ((faults, each) for faults in may_be for each in answered if ours.is_patient)
    return any(ours.agrees(*each) for each in asked)


def _any(seen: Iterable[bool | None]) -> bool | None:
    """Whether one of these is so; None where that is not known."""
    found = set(seen)
    return True if True in found else None if None in found else False
