"""A statement that stands too early, or too late: another one binds anew what it reads."""

import ast
from collections.abc import Iterator, Set

import libcst as cst

from autograder.repair.spot import Spot


def statements(spot: Spot) -> Iterator[str]:
    """One moved behind a later one that binds anew what it reads, or before such an earlier one.

    Neighbours are exchanged by another rule.
    """
    node, view = spot.node, spot.view
    if not isinstance(node, (cst.IndentedBlock, cst.Module)):
        return
    start, text = view.span(node)[0], spot.source.encode()
    body = [each for each in node.body if isinstance(each, cst.SimpleStatementLine)]
    spans = [(a - start, b - start) for a, b in map(view.span, body)]
    read, bound = ([_names(view.source(each), of) for each in body] for of in (ast.Load, ast.Store))
    for one, (a, b) in enumerate(spans):
        indent = b"\n" + view.indent(start + a).encode()
        for other, (c, d) in enumerate(spans):
            if read[one].isdisjoint(bound[other] - bound[one]):
                continue
            if other > one + 1:
                yield (text[:a] + text[b:d].lstrip() + indent + text[a:b] + text[d:]).decode()
            elif other < one - 1:
                left = text[:c] + text[a:b] + indent + text[c:a].rstrip()
                yield (left + text[b:]).decode()


def _names(source: str, used: type[ast.expr_context]) -> Set[str]:
    names = (each for each in ast.walk(ast.parse(source)) if isinstance(each, ast.Name))
    return {each.id for each in names if isinstance(each.ctx, used)}
