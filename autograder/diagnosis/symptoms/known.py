"""What is known of a mistake that no fault explains: properties of its answers, and an example.

Every sentence is proved by the submission's own answers, to the questions of the checks and to a
few more.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap
from typing import NamedTuple

from torch import Tensor

from autograder.checking import load
from autograder.course import SmallestExample
from autograder.diagnosis.comparing import same
from autograder.diagnosis.evidence import Case
from autograder.diagnosis.symptoms.contrasts import (
    FEATURES,
    GRADIENTS_ALONE,
    Feature,
    contrasts,
    only_where,
)
from autograder.diagnosis.symptoms.inquiry import Answered, Enough, Inquiry, is_plain
from autograder.diagnosis.symptoms.probes import (
    GRADIENTS,
    PROPERTIES,
    Property,
    alike,
    probes,
    seen,
)
from autograder.diagnosis.symptoms.smallest import smallest
from autograder.notebooks import Source
from autograder.sandbox.host import ServerFailed
from autograder.sandbox.session import Answer

_SENTENCES = 5
_MORE = 40  # cases without an answer yet that are asked, of one function or class
_AGAIN = 3  # wrong answers that are asked for once more
_CHANGES = (
    "The same call gives something else when it is made again: something is kept from one call to "
    "the next, or drawn."
)
_OWN = "symptoms"  # .py, beside the assignments' folders


class Known(NamedTuple):
    """What is known of a mistake."""

    known: str
    example: SmallestExample | None


@dataclass(frozen=True)
class Symptoms:
    """What is looked for: properties of answers, and what questions may have in common."""

    properties: tuple[Property, ...] = PROPERTIES
    features: tuple[Feature, ...] = FEATURES


def read_symptoms(source: Source) -> Symptoms:
    """Those that the course's `symptoms.py` tells in its own words; without one, the engine's."""
    solutions = source.path.resolve().parents[1]
    if not (solutions / f"{_OWN}.py").is_file():
        return Symptoms()
    own = load(solutions, _OWN)
    return Symptoms(tuple(own.PROPERTIES), tuple(own.FEATURES))


def known(
    items: Sequence[str],
    cases: Sequence[Case],
    answers: Mapping[int, Answer],
    asking: Inquiry,
    defined_in: Mapping[str, str],
    symptoms: Symptoms,
) -> dict[str, Known]:
    """What unexplained items are told: the same of all that look at one function or class.

    answers: the submission's, by place among the cases. Items about which there is nothing to
    say are left out: so are those that no plain call is wrong in, whatever is known of others.
    """
    said: dict[str, Known] = {}
    for name in defined_in:
        places = [at for at, each in enumerate(cases) if each.question.name == name]
        if not any(cases[at].item in items for at in places):
            continue
        asked = list(_asked(places, cases, answers, asking))
        try:
            wrong = [each for each in asked if not same(each.got, each.case.right, each.case)]
            costs = [e.case for e in wrong if e.case.item in items and is_plain(e.case)]
            text = _text(name, asked, wrong, costs, asking, symptoms) if costs else None
        except ServerFailed:
            raise
        except Exception:  # a hostile answer costs the explanation alone
            continue
        lost = {each.item for each in costs}
        theirs = [item for item in items if item in lost and item not in said]
        if text is not None:
            said |= dict.fromkeys(theirs, text)
    return said


def _asked(
    places: Sequence[int], cases: Sequence[Case], answers: Mapping[int, Answer], asking: Inquiry
) -> Iterator[Answered]:
    more = _MORE
    for at in sorted(places, key=lambda at: len(cases[at].question.frame)):
        if at in answers:
            yield Answered(cases[at], answers[at])
        elif more and is_plain(cases[at]):
            more -= 1
            try:
                yield Answered(cases[at], asking.ask(cases[at].question, cost=0))
            except Enough:
                return


def _unknown(name: str) -> str:
    return f"No known mistake explains what {name} gives."


def _text(
    name: str,
    asked: Sequence[Answered],
    wrong: Sequence[Answered],
    costs: Sequence[Case],
    asking: Inquiry,
    symptoms: Symptoms,
) -> Known | None:
    """The sentences and the example, or None when there are none."""
    # What is wrong comes first: where the mistake shows, its properties tell most.
    plain = [each for each in (*wrong, *asked) if is_plain(each.case)]
    plain = list(dict.fromkeys(plain))
    if all(each.got.failure or each.got.value is None for each in plain):
        return None  # it never gives anything, which the checks have said
    given = [each for each in plain if each in wrong and each.got.failure is None]
    if _changes(given[:_AGAIN], asking):
        return Known(f"{_unknown(name)} {_CHANGES}", None)  # the rest would be of one answer alone
    told = contrasts(plain, symptoms.features)
    example = smallest(costs, asking)  # before other questions use up the time
    broken: list[str] = []
    holds: list[str] = []
    try:
        for fine, sentence in probes(plain, asking, symptoms.properties):
            (holds if fine else broken).append(sentence)
    except Enough:
        pass  # what was found is true all the same
    unasked = any(each.got.failure and each.case.question.how.cotangents for each in plain)
    if (GRADIENTS_ALONE in told or unasked) and GRADIENTS.holds in holds:
        holds.remove(GRADIENTS.holds)  # it was tried where they are right
    first, last = list[str](), list[str]()
    infinite = [not _is_finite(each.got) for each in plain]
    if any(infinite):
        where = only_where(plain, infinite, symptoms.features)
        whole = all(so for each, so in zip(plain, infinite, strict=True) if each in wrong)
        said = f"Some of its numbers are NaN or infinite{where}."
        (first if whole else last).append(said)
    if _look_right(plain):
        holds.insert(0, "Shapes and dtypes are right.")
    lines = [*told, *first, *broken, *holds][: _SENTENCES - len(last)] + last
    if not lines and example is None:
        return None
    unknown = f"{_unknown(name)} What is known of it:" if lines else _unknown(name)
    return Known("\n".join(filter(None, (unknown, " ".join(lines)))), example)


def _changes(wrong: Sequence[Answered], asking: Inquiry) -> bool:
    """Whether one of these answers is another now."""
    try:
        again = [(each, asking.ask(each.case.question)) for each in wrong]
    except Enough:
        return False
    return any(not same(got, each.got, each.case) for each, got in again)


def _look_right(asked: Sequence[Answered]) -> bool:
    """Whether every answer has tensors of the shapes and dtypes that it should have."""
    pairs = [(seen(each.got), seen(each.case.right)) for each in asked]
    there = any(isinstance(one, Tensor) for _, right in pairs for one in right)
    return there and all(starmap(alike, pairs)) and not any(each.got.failure for each in asked)


def _is_finite(got: Answer) -> bool:
    numbers = [each for each in (*seen(got), *got.gradients) if isinstance(each, Tensor)]
    here = [each for each in numbers if each.device.type == "cpu"]
    return all(bool(each.double().isfinite().all()) for each in here)
