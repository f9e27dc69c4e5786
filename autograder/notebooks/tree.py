"""The nodes of a tree of Python's, as `ast` walks them, without those that say what a name is for.

They are a third of all nodes, and nobody asks for them; `ast.walk` takes twice as long.
"""

import ast

__all__ = ["below", "walked"]


def below(node: ast.AST) -> list[ast.AST]:
    """The nodes right below one."""
    found: list[ast.AST] = []
    for name in node._fields:
        value = None if name == "ctx" else getattr(node, name, None)
        if isinstance(value, list):
            found += [each for each in value if isinstance(each, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def walked(top: ast.AST) -> list[ast.AST]:
    """A node and all that lies below it, level by level."""
    found = [top]
    for node in found:  # which grows
        found += below(node)
    return found
