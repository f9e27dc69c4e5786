"""Where parameters come from that were not asked for: only a line that names them can bring them.

A constructor has many lines, each is edited in many ways, and modules are dear to make.
"""

import re
from collections.abc import Mapping, Sequence

from autograder.diagnosis import Case
from autograder.repair.edits import Edit
from autograder.sandbox.session import Answer

_WORD = re.compile(r"[^\W\d]\w*")


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
