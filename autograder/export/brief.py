"""A result as a page about a whole class needs it: small, so that a class of any size has room.

The evidence stays in the file. What many students have alike, as an item that is right, is held
once for all of them.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from autograder.course import ItemResult, Mistake, Result, Verdict

__all__ = ["in_brief", "read_in_brief"]

_Part = TypeVar("_Part", ItemResult, Mistake)
# Of these verdicts, pages for staff say why.
_TOLD = (Verdict.UNREADABLE, Verdict.INTERNAL)


def read_in_brief(folder: Path, students: Iterable[str]) -> Iterator[Result]:
    """The result of each student in `folder`, in brief. Raises ValueError for what is none."""
    return in_brief(Result.read(folder / f"{student}.json") for student in students)


def in_brief(results: Iterable[Result]) -> Iterator[Result]:
    """Each result without what only its student's page tells; those after it share its parts."""
    held: dict[str, ItemResult | Mistake] = {}

    def once(part: _Part, brief: Callable[[_Part], _Part]) -> _Part:
        small = brief(part)
        return held.setdefault(small.model_dump_json(), small)  # type: ignore[return-value]

    nothing: dict[str, str] = {}
    for result in results:
        left_out = {"notes": (), "versions": nothing, "came_from": nothing}
        parts = {
            "items": tuple(once(each, _item) for each in result.items),
            "mistakes": tuple(once(each, _mistake) for each in result.mistakes),
        }
        yield result.model_copy(update={**left_out, **parts})


def _item(item: ItemResult) -> ItemResult:
    return ItemResult(
        item=item.item,
        title=item.title,
        points=item.points,
        score=item.score,
        verdict=item.verdict,
        message=item.message if item.verdict in _TOLD else None,
    )


def _mistake(mistake: Mistake) -> Mistake:
    return Mistake(
        kind=mistake.kind,
        what=mistake.what,
        place=None if mistake.kind == "named" else mistake.place,  # what has no name is its line
        items=mistake.items,
        costs=mistake.costs,
    )
