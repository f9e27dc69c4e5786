"""Of repairs in different lines, the one that the others only go round.

Who takes another name where a wrong one is used leaves the line that made it wrong as it is, and
without a use. Then that line can be left out with every one of these repairs, or one of the names
that it binds is used nowhere any more, and it is told.
"""

import re
from collections.abc import Callable, Sequence

from autograder.repair.edits import Edit
from autograder.repair.proof import Proof

_NOTHING = "pass"
_NAME = re.compile(r"[^\W\d]\w*")


def skipped(proofs: Sequence[Proof], is_right: Callable[[str, Proof], bool]) -> Proof | None:
    """The proof in the one line that every proof in another line makes needless, if there is one.

    is_right: whether all that a proof makes right is right with this text of the cell.
    """
    lines = dict.fromkeys(each.edit.line for each in proofs)
    found = [line for line in lines if _is_skipped(line, proofs, is_right)]
    return next(each for each in proofs if each.edit.line == found[0]) if len(found) == 1 else None


def _is_skipped(line: int, proofs: Sequence[Proof], is_right: Callable[[str, Proof], bool]) -> bool:
    others = [each for each in proofs if each.edit.line != line]
    others = [each for each in others if not _goes_round(line, each.edit)]
    texts = [_without(line, each.edit) for each in others]
    return all(
        text is not None and is_right(text, each) for text, each in zip(texts, others, strict=True)
    )


def _goes_round(line: int, edit: Edit) -> bool:
    """Whether a name that a line binds is used after an edit nowhere else, and was before."""
    before, after = edit.spot.view.text.splitlines(), edit.text.splitlines()
    bound = before[line - 1].partition(" = ")
    if len(before) != len(after) or before[line - 1] != after[line - 1] or not bound[1]:
        return False
    return any(
        _uses(name, after) == _uses(name, [after[line - 1]]) < _uses(name, before)
        for name in _NAME.findall(bound[0])
    )


def _uses(name: str, lines: Sequence[str]) -> int:
    return sum(_NAME.findall(each).count(name) for each in lines)


def _without(line: int, edit: Edit) -> str | None:
    """The cell after an edit, and without a line that the edit leaves as it was."""
    before, after = edit.spot.view.text.splitlines(), edit.text.splitlines()
    if len(before) != len(after) or before[line - 1] != after[line - 1]:
        return None
    whole = after[line - 1]
    indent = whole[: len(whole) - len(whole.lstrip())]
    after[line - 1] = f"{indent}{_NOTHING}"
    return "\n".join(after) + "\n"
