"""Which known mistake gives just what the notebook gives, if the course says that it is named."""

from collections.abc import Mapping, Sequence
from typing import Any

from .prints import Print, print_of, same
from .problem import Problem
from .recorded import Came

_MOST = 2  # that are told where the public cases cannot tell them apart


def mistakes(
    item: Mapping[str, Any], came: Sequence[Came], problems: Sequence[Problem | None]
) -> list[str]:
    """The mistakes that give what came in every case of an item: none, one, or two alike."""
    if not item.get("mistakes"):
        return []
    prints: list[Print | None] = [
        print_of(case, each) if problem else None
        for case, each, problem in zip(item["cases"], came, problems, strict=True)
    ]
    found = [
        name
        for name, theirs in item.get("mistakes", {}).items()
        if _fits(prints, theirs, item["tolerance"])
    ]
    return found if len(found) <= _MOST else []


def _fits(ours: Sequence[Print | None], theirs: Sequence[Print | None], tolerance: float) -> bool:
    """Whether both are right (None) in the same cases, and wrong alike in all others.

    Many a mistake ends in the same exception: where nothing else came, that proves none.
    """
    return any(one and "error" not in one for one in ours) and all(
        (one is None) == (other is None) and (one is None or same(one, other, tolerance))
        for one, other in zip(ours, theirs, strict=True)
    )
