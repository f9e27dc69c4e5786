"""What there is to see in an answer to a case: its parts, by name.

Whatever a check leaves open is left out.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from torch import Tensor

from autograder.checking import Asked, too_little, too_much
from autograder.diagnosis.evidence import WRONG_PARAMETERS, Case, is_one_number
from autograder.sandbox.failure import Failure
from autograder.sandbox.modules import Blueprint
from autograder.sandbox.session import EARLIER, Answer

# What Python and torch say in other words for every operation, and means one thing.
_IN_OTHER_WORDS = {
    "sizes": re.compile(
        r"must match the (size of tensor b|existing size)|match the broadcast shape"
    ),
    "products": re.compile(
        r"cannot be multiplied|first two dimensions of batch2|previously seen size"
    ),
    "shapes": re.compile(r"is invalid for input of size|don't multiply up to the size"),
    "dtypes": re.compile(r"same (scalar type|data ?type|dtype)|expected scalar type"),
}
# That there is nothing, where a tensor was needed; `nothing == 0` is False.
_NOTHING = re.compile(r"NoneType|got \(bool, |must be Tensor, not bool")
_MOST_PARTS = 100  # far more than any answer has: each is compared with those of each fault
KIND = "shape", "dtype", "device", "layout"  # in which two tensors must not differ at all


def shapes(answer: Answer) -> set[tuple[str, tuple[int, ...]]]:
    """The names and shapes of the parameters in an answer."""
    found = answer.value if isinstance(answer.value, Mapping) else {}
    return {(name, tuple(each.shape)) for name, each in found.items() if isinstance(each, Tensor)}


def seen(answer: Answer, case: Case, loosely: bool) -> dict[str, Any]:
    """The parts of an answer that the check looks at.

    loosely: an exception may be in other words.
    """
    raises = case.is_of_an_error
    if answer.failure is not None:
        if answer.failure.type == WRONG_PARAMETERS:
            return {"raised": answer.failure.type, "shapes": answer.value}
        return _raised(answer.failure, case.asked if raises else None, loosely)
    value = _without_chance(answer.value) if case.drawn else answer.value
    if raises:
        return {"raised": None} | ({"value": value} if isinstance(answer.value, Tensor) else {})
    if case.is_value:
        numeric = isinstance(value, Tensor) and value.is_floating_point()
        return {"value": value.double() if numeric else value}
    question, target = case.question, case.question.target
    if case.gives_state:
        return _parameters(answer.value, None if question.weights else case.constants)
    found: dict[str, Any] = {}
    if case.asked is None:
        found |= _flat("value", value) | _flat("read", answer.read)
        found |= {"changed": answer.changed, "elsewhere": answer.elsewhere}
        found |= {"mode": answer.mode_changed}
    else:
        names = case.asked.outputs
        if len(names) == 1:
            values = _flat(names[0], value) if names[0] in case.asked.look_at else {}
        elif type(answer.value) is tuple and len(answer.value) == len(names):
            pairs = zip(names, answer.value, strict=True)
            values = _all_flat((name, each) for name, each in pairs if name in case.asked.look_at)
        else:
            values = _flat("value", value)
        read = zip(question.how.read, answer.read, strict=False)
        found |= values | _all_flat((name, x) for name, x in read if name in case.asked.look_at)
        found |= {"elsewhere": answer.elsewhere}
        found["earlier"] = EARLIER in answer.changed
        found["changed"] = answer.changed if case.asked.unchanged else ()
        counted = too_much(case.asked, answer) or too_little(case.asked, answer)
        found["too much work"] = answer.multiplications if counted else None
        if case.asked.same_mode:
            found["mode"] = answer.mode_changed
    # Each mistake leaves another one's part of it alone.
    for at, each in enumerate(answer.watched):
        found |= {f"watched {at} {name}": value for name, value in vars(each).items()}
    # What a module keeps asks for no gradient.
    kept = [answer.value] if _is_buffer(target) else answer.read
    found["asks for gradients"] = [isinstance(x, Tensor) and x.requires_grad for x in kept]
    if question.how.cotangents is not None:
        found |= {f"gradient {place}": each for place, each in enumerate(answer.gradients)}
    return found


def _raised(failure: Failure, asked: Asked | None, loosely: bool) -> dict[str, Any]:
    """An exception: its type, and its words but for numbers, which sizes may change.

    The words of one that a line raises are its author's. Where one is asked for: whether its words
    name the numbers.
    """
    if asked is None:
        said = (what for what, words in _IN_OTHER_WORDS.items() if words.search(failure.words))
        words = "its own" if failure.is_on_purpose else next(said, failure.words)
        nothing = _NOTHING.search(failure.message) and not failure.is_on_purpose
        found = {"raised": "nothing there" if nothing else failure.type}
        return found | ({} if loosely or nothing else {"message": words})
    if failure.type != asked.error:
        return {"raised": failure.type}
    lost = [str(each) for each in asked.naming if str(each) not in failure.message]
    return {"raised": failure.type, "unnamed": tuple(lost)}


def _is_buffer(target: Any) -> bool:
    return isinstance(target, Blueprint) and target.method == "get_buffer"


def _parameters(found: Any, constants: Collection[str] | None) -> dict[str, Any]:
    """Names and shapes; and values: of `constants`, where others start at random."""
    if not isinstance(found, Mapping) or not all(
        isinstance(each, Tensor) for each in found.values()
    ):
        return {"state_dict": type(found).__name__}
    return {
        f"parameter {name}": each if constants is None or name in constants else tuple(each.shape)
        for name, each in found.items()
    }


def _without_chance(value: Any) -> Any:
    """What would be the same with other weights: of different numbers no more than their kind."""
    if isinstance(value, (tuple, list)):
        kinds = map(_without_chance, value)
        return tuple(kinds) if isinstance(value, tuple) else list(kinds)
    if not isinstance(value, Tensor) or not value.is_floating_point() or is_one_number(value):
        return value
    return str([getattr(value, name) for name in KIND])


def _all_flat(named: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    return {part: each for name, value in named for part, each in _flat(name, value).items()}


def _flat(name: str, value: Any) -> dict[str, Any]:
    parts = dict(islice(_parts(name, value), _MOST_PARTS + 1))
    return parts if len(parts) <= _MOST_PARTS else {name: f"a {type(value).__name__} of many parts"}


def _parts(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if not isinstance(value, (tuple, list)):
        yield name, value
        return
    yield f"{name}: kind", type(value).__name__
    for place, each in enumerate(value):
        yield from _parts(f"{name}[{place}]", each)
