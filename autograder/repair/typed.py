"""The line that a value stands in, where a cell binds values and computes nothing."""

import ast
from collections.abc import Collection, Sequence

from autograder.diagnosis import Case
from autograder.repair.located import Located

_LONGEST = 70  # characters of a piece of code, as it is told


def in_values(cell: str, text: str, wrong: Sequence[Case]) -> Located | None:
    """The line where the one value stands that is wrong of a cell, if that is all that is."""
    if not all(case.is_value for case in wrong):
        return None
    items = tuple(dict.fromkeys(case.item for case in wrong))
    return typed(cell, text, {case.question.name for case in wrong}, items)


def typed(cell: str, text: str, names: Collection[str], items: tuple[str, ...]) -> Located | None:
    """Where these names, which are wrong, are bound; None where more than that may be wrong.

    A value that hangs on no other of the cell, and is bound once, is wrong where it is bound.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    nodes = [each for each in ast.walk(tree) if isinstance(each, ast.Name)]
    bound = [each.id for each in nodes if isinstance(each.ctx, ast.Store)]
    lines: dict[str, int] = {}
    for each in tree.body:
        targets = each.targets if isinstance(each, ast.Assign) else ()
        mine = [one.id for one in targets if isinstance(one, ast.Name)]
        used = {one.id for one in ast.walk(each) if isinstance(one, ast.Name)} - {*mine}
        if len(mine) == 1 and bound.count(mine[0]) == 1 and used.isdisjoint(bound):
            lines[mine[0]] = each.lineno
    if not lines.keys() >= {*names}:
        return None
    first, *others = sorted({lines[each] for each in names})
    source = text.splitlines()[first - 1].strip()
    return Located(cell, first, source, source[:_LONGEST], False, items, True, tuple(others))
