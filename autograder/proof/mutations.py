"""Every text of code that differs from another in one place, by fixed rules."""

import ast
from collections.abc import Iterator
from typing import Any

import libcst as cst

from autograder.repair import alternatives, places

_PARENTHESES: dict[str, Any] = {"lpar": [cst.LeftParen()], "rpar": [cst.RightParen()]}


def changes(text: str) -> Iterator[str]:
    """Every text that differs from this one in one place, each once."""
    module = cst.parse_module(text)
    seen = {_tree(text), None}
    for place in places(module):
        for new in alternatives(place):
            changed = _with(module, place.node, new)
            if _tree(changed) not in seen:
                seen.add(_tree(changed))
                yield changed


def _with(module: cst.Module, old: cst.CSTNode, new: cst.CSTNode) -> str:
    """The text with a node replaced, put in parentheses where it would fall apart without."""
    also = [new.with_changes(**_PARENTHESES)] if isinstance(new, cst.BaseExpression) else []
    changed = (module.deep_replace(old, each) for each in (new, *also))
    plain, *safe = (cst.ensure_type(each, cst.Module).code for each in changed)
    return plain if not safe or _tree(safe[0]) in (None, _tree(plain)) else safe[0]


def _tree(text: str) -> str | None:
    try:
        return ast.dump(ast.parse(text))
    except SyntaxError:
        return None
