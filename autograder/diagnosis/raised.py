"""What is told of some items, for others in which exceptions keep more from being seen."""

from collections.abc import Iterable, Mapping
from itertools import chain, combinations

from autograder.diagnosis.agreement import Agreement
from autograder.diagnosis.explained import Diagnosis, all_of
from autograder.diagnosis.fault import Faults, combine


def but_for_errors(
    ours: Agreement, told: Mapping[str, Diagnosis], items: Iterable[str]
) -> dict[str, Diagnosis]:
    """Those of the items in which what is told elsewhere explains whatever was answered."""
    certain = set(all_of(each.certain for each in told.values()))
    faults = tuple(each for each in ours.component.faults if each in certain)
    found = {}
    for item in items if faults and combine(faults) else ():
        answered = [each for each in ours.of(item) if _is_seen(ours, each)]
        fitting = ours.fitting([faults], answered)  # less what shows elsewhere alone
        if set(ours.wrong).intersection(answered) and fitting:
            found[item] = Diagnosis(fitting[0], len(answered))
    return found


def raised_alike(
    ours: Agreement, told: Mapping[str, Diagnosis], items: Iterable[str]
) -> dict[str, Diagnosis]:
    """Those of the items in which a line raises what is explained elsewhere, and all else is right.

    How torch puts it hangs on how the line is written. Where only that comes, nothing else tells
    which mistake it is; but where more is to be seen, and is explained, it may be told by its line.
    """
    explained = [
        (choices, lines)
        for item, diagnosis in sorted(told.items())
        for choices in [(diagnosis.faults, *diagnosis.alternatives)]
        if (lines := {_line(ours, x) for x in ours.of(item) if _all_raise(ours, choices, x)})
    ]
    found = {}
    for item in items:
        places = ours.of(item)
        lines_here = {_line(ours, each) for each in places if each in ours.wrong}
        for choices, lines in explained:
            if lines_here <= lines - {None}:
                fitting = dict.fromkeys(_raising(ours, each, places) for each in choices)
                if all(fitting):
                    first, *others = fitting
                    found[item] = Diagnosis(first, len(places), tuple(others), in_other_words=True)
                    break
    return found


def _is_seen(ours: Agreement, place: int) -> bool:
    """Whether no exception hides anything in a case: where one is asked for, it is the answer."""
    return ours.answers[place].failure is None or ours.bank.cases[place].is_of_an_error


def _line(ours: Agreement, place: int) -> tuple[str, str, int] | None:
    """What was raised in a case, and by which line; None where that is not known."""
    failure = ours.answers[place].failure
    if failure is None or failure.cell is None or failure.line is None:
        return None
    return failure.type, failure.cell, failure.line


def _all_raise(ours: Agreement, choices: Iterable[Faults], place: int) -> bool:
    """Whether all of the choices raise in a case what the submission does, in whatever words."""
    theirs = (ours.bank.answer(ours.component, each, place).failure for each in choices)
    failure = ours.answers[place].failure
    return failure is not None and all(x is not None and x.type == failure.type for x in theirs)


def _raising(ours: Agreement, faults: Faults, places: Iterable[int]) -> Faults:
    """As few of the faults as raise what is wrong in these cases; none where they do not."""

    def fits(few: Faults) -> bool:
        return all(
            _all_raise(ours, [few], each) if each in ours.wrong else ours.agrees(few, each)
            for each in places
        )

    few = chain.from_iterable(combinations(faults, size + 1) for size in range(len(faults)))
    return next(filter(fits, few), ())
