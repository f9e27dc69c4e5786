"""What an answer hints at is tried first: dtypes, an import, lines that name what is there besides.

A constructor has many lines, each is edited in many ways, and modules are dear to make. And of a
long class there are thousands of edits, of which few change in which dtype a number is made.
"""

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from autograder.diagnosis import Case, same
from autograder.repair.edits import Edit, TooManyEdits, edits
from autograder.repair.imported import imported
from autograder.repair.view import View
from autograder.sandbox.session import Answer

_WORD = re.compile(r"[^\W\d]\w*")
_OF_DTYPES = re.compile(r"dtype|float|half|double|type_as|\.type\b|\.to\b|\.tensor\b|Tensor\b")


def hinted(
    view: View, tiers: Iterable[int], asked: Mapping[int, tuple[Case, Answer]]
) -> Iterator[tuple[int, list[Edit]]]:
    """The edits of a cell to try before all others, where an answer hints at any, by its place.

    A name that is lacking is imported; where only digits are lacking, dtypes are left out.
    """
    with contextlib.suppress(TooManyEdits):
        for at, (case, answer) in asked.items():
            if found := _hinted(view, tiers, case, answer):
                yield at, found


def _hinted(view: View, tiers: Iterable[int], case: Case, answer: Answer) -> list[Edit]:
    if found := imported(view, answer.failure):
        return found
    if not same(answer, case.right, case, loosely=True):
        return []
    every = (each for tier in tiers for each in edits(view, tier))
    return [each for each in every if _is_of_dtypes(each)]


def _is_of_dtypes(edit: Edit) -> bool:
    before, after = (_OF_DTYPES.findall(each) for each in (edit.spot.source, edit.new))
    return len(after) < len(before)


def that_name(these: Sequence[Edit], case: Case, answer: Answer) -> Sequence[Edit]:
    """The edits of lines that name what a module holds besides; all where no line does.

    case: about what a module holds, or not: then all are given back, too.
    """
    if not (case.is_of_state and isinstance(answer.value, Mapping)):
        return these
    asked = case.right.value if isinstance(case.right.value, Mapping) else {}
    besides = [name for name in answer.value if name not in asked]
    words = {part for name in besides for part in name.split(".")}
    return [x for x in these if not words.isdisjoint(_WORD.findall(x.source))] or these
