"""What the questions that are answered wrong have in common, and those that are answered right."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from autograder.asking import Question
from autograder.diagnosis.comparing import same
from autograder.diagnosis.evidence import Case
from autograder.diagnosis.symptoms import inquiry
from autograder.diagnosis.symptoms.inquiry import Answered
from autograder.sandbox.modules import Blueprint

_LARGE = 1e3
_SHARE = 0.5  # of the questions with a feature that must be wrong, if not all are
_AXES = {-1: "the last axis of the first input", -2: "the axis before the last of the first input"}
_MOST = 2  # contrasts that are told
_SIZES = 2  # that must be wrong before one that is right means anything
_SEVERAL = "weights", "keys", "values"  # how the name of a tensor ends that is spoken of as many
GRADIENTS_ALONE = "Its values are right, its gradients are not."


@dataclass(frozen=True)
class Feature:
    """What a question may have: `there` and `absent` say in words that it does, and does not."""

    there: str
    absent: str
    of: Callable[[Question], bool | None]  # None: it is about something else
    either: bool = False  # being without it may be what goes wrong, too


def contrasts(asked: Sequence[Answered], features: Sequence[Feature]) -> list[str]:
    """Sentences about what tells right from wrong, among plain calls; none if nothing does."""
    verdicts = [(each, same(each.got, each.case.right, each.case)) for each in asked]
    if all(right for _, right in verdicts) or not verdicts:
        return []
    told = list(_gradients(verdicts))
    if told:  # whatever they have in common, the others are not about gradients
        verdicts = [each for each in verdicts if _differentiates(each[0])]
    return [*told, *_features(verdicts, features), *_methods(verdicts), *_outputs(verdicts)]


_Verdicts = Sequence[tuple[Answered, bool]]


def _gradients(verdicts: _Verdicts) -> Iterator[str]:
    wrong = [each for each, right in verdicts if not right]
    if all(map(_differentiates, wrong)):
        values = [replace(each, case=_of_values(each.case)) for each in wrong]
        if all(same(each.got, each.case.right, each.case) for each in values):
            yield GRADIENTS_ALONE


def _differentiates(asked: Answered) -> bool:
    return asked.case.question.how.cotangents is not None


def _of_values(case: Case) -> Case:
    question = replace(case.question, how=replace(case.question.how, cotangents=None))
    return replace(case, question=question)


def _methods(verdicts: _Verdicts) -> Iterator[str]:
    found: dict[str, list[bool]] = {}
    for each, right in verdicts:
        found.setdefault(_method(each), []).append(right)
    fine = [name for name, verdict in found.items() if all(verdict)]
    wrong = [name for name, verdict in found.items() if not any(verdict)]
    if fine and len(fine) + len(wrong) == len(found) > len(fine):
        yield f"{_listed(fine)} {_is(fine)} right, {_listed(wrong)} {_is(wrong)} not."


def _method(asked: Answered) -> str:
    target = asked.case.question.target
    return target if isinstance(target, str) else target.method


def _outputs(verdicts: _Verdicts) -> Iterator[str]:
    """Of several outputs, which are always right, those included that a check does not look at."""
    found: dict[str, list[bool]] = {}
    wrong: set[str] = set()
    for each, _ in verdicts:
        asked, got = each.case.asked, each.got
        if asked is None or got.failure is not None:
            return
        for name in asked.outputs if len(asked.outputs) > 1 else ():
            alone = replace(_of_values(each.case), asked=replace(asked, look_at=[name]))
            found.setdefault(name, []).append(same(got, alone.right, alone))
            wrong |= {name} if name in asked.look_at and not found[name][-1] else set()
    fine = [name for name, verdict in found.items() if all(verdict)]
    if fine and wrong and len(fine) + len(wrong) == len(found):
        not_fine = [name for name in found if name in wrong]
        yield f"The {_listed(fine)} {_is(fine)} right, the {_listed(not_fine)} {_is(not_fine)} not."


def _features(verdicts: _Verdicts, features: Sequence[Feature]) -> Iterator[str]:
    exact, partly = [], []
    for feature in features:
        found = [(feature.of(each.case.question), right) for each, right in verdicts]
        for value, always, never in (
            (True, feature.absent, feature.there),
            (False, feature.there, feature.absent),
        ):
            if value is False and not feature.either:
                continue
            inside = [right for has, right in found if has is value]
            outside = [right for has, right in found if has is (not value)]
            others = [right for has, right in found if has is None]
            if not inside or not outside or not all(outside) or not all(others):
                continue  # what is wrong has something else, too
            if not any(inside):
                exact.append(f"It is right whenever {always}, and wrong whenever {never}.")
            elif not all(inside):
                share = inside.count(False) / len(inside)
                if share < _SHARE:
                    continue
                said = f"It is right whenever {always}; whenever {never}, it is wrong in "
                said += f"{inside.count(False)} of {len(inside)} questions."
                partly.append((share, said))
    exact = exact or list(_sizes(verdicts))
    yield from exact[:_MOST]
    if partly and not exact:
        yield max(partly)[1]


def _sizes(verdicts: _Verdicts) -> Iterator[str]:
    """The one size of an axis with which it is right, as where that size is written out."""
    for axis, name in _AXES.items():
        found = [(_size(each.case.question, axis), right) for each, right in verdicts]
        fine = {size for size, right in found if right}
        wrong = {size for size, right in found if not right}
        if len(fine) != 1 or len(wrong) < _SIZES or None in fine | wrong:
            continue
        if fine.isdisjoint(wrong):
            (size,) = fine
            yield f"It is right whenever {name} has size {size}, and wrong whenever it has not."


def _size(question: Question, axis: int) -> int | None:
    first = next(iter(inquiry.tensors(question)), None)
    return None if first is None or first.dim() < -axis else first.shape[axis]


def only_where(asked: Sequence[Answered], has: Sequence[bool], features: Sequence[Feature]) -> str:
    """The feature of all the questions of which something is so, in words; else how many they are.

    has: of each of `asked`, whether it is so; of at least one. Methods of which it never is say
    nothing of where it is.
    """
    if all(has):
        return ""
    its = [_method(each) for each, so in zip(asked, has, strict=True) if so]
    pairs = [(each, so) for each, so in zip(asked, has, strict=True) if _method(each) in its]
    asked, has = [each for each, _ in pairs], [so for _, so in pairs]
    if all(has):
        return f", in what {_listed(list(dict.fromkeys(its)))} {_gives(its)}"
    shares = {}
    for feature in features:
        found = [feature.of(each.case.question) for each in asked]
        for value, said in ((True, feature.there), (False, feature.absent)):
            inside = [so for so, there in zip(has, found, strict=True) if there is value]
            if len(inside) < len(has) and sum(inside) == sum(has):
                shares[said] = sum(inside) / len(inside)
    if not shares:
        return f", in {sum(has)} of {len(has)} questions"
    return f", but only where {max(shares, key=lambda said: shares[said])}"


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _gives(names: Sequence[str]) -> str:
    return "gives" if len({*names}) == 1 else "give"


def _is(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 and not names[0].endswith(_SEVERAL) else "are"


def _dtype(question: Question) -> bool | None:
    given = inquiry.floats(question)
    return any(each.dtype == torch.float32 for each in given) if given else None


def _trains(question: Question) -> bool | None:
    return question.target.train if isinstance(question.target, Blueprint) else None


def _first(question: Question) -> Tensor | None:
    return next((each for each in inquiry.tensors(question) if each.dim() > 1), None)


def _single(question: Question) -> bool | None:
    first = _first(question)
    return None if first is None else first.shape[0] == 1


def _large(question: Question) -> bool | None:
    given = inquiry.floats(question)
    return any(bool((each.detach().abs() >= _LARGE).any()) for each in given) if given else None


def _scattered(question: Question) -> bool:
    return any(not each.is_contiguous() for each in inquiry.tensors(question))


def _axes(question: Question) -> bool | None:
    first = next(iter(inquiry.tensors(question)), None)
    return None if first is None else first.dim() == 4


def _same_twice(question: Question) -> bool | None:
    given: list[Any] = [each for each in question.args if isinstance(each, Tensor)]
    return len({id(each) for each in given}) < len(given) if len(given) > 1 else None


FEATURES = (
    Feature("the inputs are float32", "the inputs are float64", _dtype),
    Feature("the module is in train mode", "the module is in eval mode", _trains),
    Feature("the first axis has size 1", "the first axis is longer than 1", _single),
    Feature("some input is 1000 or more", "all inputs are small", _large),
    Feature(
        "an input is not contiguous in memory", "all inputs are contiguous in memory", _scattered
    ),
    Feature(
        "the first input has 4 axes", "the first input has fewer axes than 4, or more", _axes, True
    ),
    Feature(
        "one tensor is passed for several inputs", "every input is a tensor of its own", _same_twice
    ),
)
