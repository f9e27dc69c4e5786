"""In which way a piece of code differs from what puts it right: so much is told of a repair."""

import ast
from collections import Counter

SOMETHING = "With something else in the place of"
WITHOUT = "Without"
OTHER_ORDER = "With another order of the lines at"
LESS = "With a part left out of"
_NAME = "With another name in"
_OPERATORS = (ast.operator, ast.cmpop, ast.boolop, ast.unaryop)


def beginning(old: str, new: str) -> str:
    """How the sentence about a piece of code begins, which `new` in the place of `old` mends.

    It never says what is right, only what to look at: a number, a name, an order.
    """
    one, two = _parsed(old), _parsed(new)
    if one is None or two is None:
        return SOMETHING
    return WITHOUT if isinstance(two, ast.Pass) else _kind(one, two)


def _parsed(text: str) -> ast.AST | None:
    """A statement, or an expression; None where it is neither, or several."""
    try:
        body = ast.parse(text.strip()).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if len(body) != 1:
        return None
    return body[0].value if isinstance(body[0], ast.Expr) else body[0]


def _kind(one: ast.AST, two: ast.AST) -> str:
    if _is_number(one) and _is_number(two):
        return "With another number in"
    if isinstance(one, ast.Name) and isinstance(two, ast.Name):
        return _NAME
    if isinstance(one, ast.Attribute) and isinstance(two, ast.Attribute) and one.attr != two.attr:
        return _NAME if ast.dump(one.value) == ast.dump(two.value) else SOMETHING
    if isinstance(one, _OPERATORS) and isinstance(two, _OPERATORS):
        return "With another operator in"
    if ast.dump(two) in map(ast.dump, ast.walk(one)):
        return LESS
    if type(one) is not type(two):
        return SOMETHING
    ours, theirs = ([*map(ast.dump, ast.iter_child_nodes(each))] for each in (one, two))
    if ours != theirs and Counter(ours) == Counter(theirs):
        return "With another order in"
    if Counter(theirs) < Counter(ours):
        return LESS
    children = zip(ast.iter_child_nodes(one), ast.iter_child_nodes(two), strict=False)
    differing = [each for each in children if ast.dump(each[0]) != ast.dump(each[1])]
    if len(ours) == len(theirs) and len(differing) == 1:
        return _kind(*differing[0])  # in a part of it alone
    return SOMETHING


def _is_number(node: ast.AST) -> bool:
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.USub) and _is_number(node.operand)
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)
