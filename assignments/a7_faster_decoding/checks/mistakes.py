"""Which known mistake gives just what the notebook gives, if the course says that it is named."""

from collections.abc import Mapping, Sequence
from typing import Any

from .prints import Print, print_of, same
from .problem import Problem
from .recorded import Came

_MOST = 2  # that are told where the public cases cannot tell them apart


def mistakes(
    item: Mapping[str, Any],
    known: Mapping[str, str],
    came: Sequence[Came],
    problems: Sequence[Problem | None],
) -> list[str]:
    """What is said of the mistakes that give what came in every case: of none, one, or two alike.

    known: what is said of each, by id. Those of which the first line says the same are one.
    """
    if not item.get("mistakes"):
        return []
    prints: list[Print | None] = [
        print_of(case, each) if problem else None
        for case, each, problem in zip(item["cases"], came, problems, strict=True)
    ]
    found = dict[str, str]()
    for name, theirs in item["mistakes"].items():
        if _fits(prints, theirs, item["tolerance"]):
            found.setdefault(known[name].partition("\n")[0], known[name])
    return list(found.values()) if len(found) <= _MOST else []


def _fits(ours: Sequence[Print | None], theirs: Sequence[Print | None], tolerance: float) -> bool:
    """Whether both are right (None) in the same cases, and wrong alike in all others.

    Many a mistake ends in the same exception: where nothing else came, that proves none.
    """
    return any(one and "error" not in one for one in ours) and all(
        (one is None) == (other is None) and (one is None or same(one, other, tolerance))
        for one, other in zip(ours, theirs, strict=True)
    )
