"""The line that a value stands in, where a cell binds values and computes nothing."""

import ast
from collections.abc import Collection

from autograder.repair.located import Located

_LONGEST = 70  # characters of a piece of code, as it is told


def typed(cell: str, text: str, names: Collection[str], items: tuple[str, ...]) -> Located | None:
    """Where the one of these names that is wrong is bound; None where more than it may be wrong.

    A value that hangs on no other of the cell, and is bound once, is wrong where it is bound.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    nodes = [each for each in ast.walk(tree) if isinstance(each, ast.Name)]
    bound = [each.id for each in nodes if isinstance(each.ctx, ast.Store)]
    for each in tree.body:
        targets = each.targets if isinstance(each, ast.Assign) else ()
        mine = [one.id for one in targets if isinstance(one, ast.Name)]
        used = {one.id for one in ast.walk(each) if isinstance(one, ast.Name)} - {*mine}
        if mine == [*names] and bound.count(mine[0]) == 1 and used.isdisjoint(bound):
            source = text.splitlines()[each.lineno - 1].strip()
            return Located(cell, each.lineno, source, source[:_LONGEST], False, items, True)
    return None
