"""What an assignment does not allow, looked for in the notebook's own functions and classes.

They are not called for it, but read: what they name, and what that names, as far as it is the
notebook's. So a cell that holds a result against a banned function's costs nothing. Grading reads
the cells, and looks at what is called as well.
"""

import dis
import pkgutil
from collections.abc import Collection, Iterator, Mapping
from types import CodeType, FunctionType, ModuleType
from typing import Any


def not_allowed(name: str, banned: str) -> str:
    """That something of the notebook uses a banned function or class."""
    return f"{name} uses {banned}, which this assignment does not allow: see the list at the top."


def banned_use(name: str, banned: Collection[str], names: Mapping[str, Any]) -> str | None:
    """The first found of these dotted names to which what the notebook calls `name` leads."""
    known = {id(value): each for each in banned for value in _found(each)}
    waiting, seen = [names.get(name)], dict[int, Any]()
    while known and waiting:
        value = waiting.pop()
        for each in (value, type(value)):
            if id(each) in known:
                return known[id(each)]
        if id(value) not in seen:
            seen[id(value)] = value  # kept, or another one might get its id
            waiting += _used(value, names)
    return None


def _found(dotted: str) -> Iterator[Any]:
    try:
        yield pkgutil.resolve_name(dotted)
    except (ImportError, AttributeError):  # this torch has none
        return


def _used(value: Any, names: Mapping[str, Any]) -> Iterator[Any]:
    """What a function or class of the notebook names; nothing of any other."""
    own = names.get("__name__")
    if isinstance(value, FunctionType) and value.__globals__ is names:
        yield from _named(value.__code__, names)
    elif "__wrapped__" in getattr(value, "__dict__", ()):  # by a decorator
        yield value.__dict__["__wrapped__"]
    elif isinstance(value, type) and value.__module__ == own:
        yield from (*value.__bases__, *vars(value).values())
    elif isinstance(value, property):
        yield value.fget
    elif isinstance(value, (staticmethod, classmethod)):
        yield value.__func__
    elif type(value).__module__ == own:
        yield type(value)


def _named(code: CodeType, names: Mapping[str, Any]) -> Iterator[Any]:
    """What the lines of a function name: of nn.functional.relu the two modules, and relu."""
    value: Any = None
    for each in dis.get_instructions(code):
        if each.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            value = names.get(each.argval)
        elif each.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            value = getattr(value, each.argval, None) if isinstance(value, ModuleType) else None
        elif each.opname not in ("EXTENDED_ARG", "CACHE"):
            value = None
        yield value
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _named(inner, names)
