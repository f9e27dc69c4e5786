"""Names of banned calls: each must be there, and be one that is caught, or it would ban nothing."""

import difflib
import importlib
from functools import cache
from types import ModuleType
from typing import Any

__all__ = ["check_banned"]


@cache
def check_banned(name: str) -> str:
    """The dotted name of a function or class of a module, such as torch.nn.Linear.

    Raises ValueError for what is not there, and for what is banned in vain: submissions are read
    for such names, and behind a method's name there may be any object.
    """
    found, owner = _module(name), None
    for part in name.removeprefix(found.__name__).lstrip(".").split("."):
        if not hasattr(found, part):
            close = difflib.get_close_matches(part, dir(found), n=1)
            path = name[: name.rindex(part)] if close else ""
            guess = f"; did you mean {path}{close[0]}?" if close else ""
            raise ValueError(f"names {name}, which is not there{guess}")
        owner, found = found, getattr(found, part)
    if not isinstance(owner, ModuleType):
        raise ValueError(
            f"names {name}, which is a method: whose it is cannot be read from a call, so it would "
            "not be caught; name functions and classes of modules"
        )
    if isinstance(found, ModuleType) or not callable(found):
        what = "module" if isinstance(found, ModuleType) else type(found).__name__
        raise ValueError(
            f"names {name}, which is a {what}: name each function and class that is not to be used"
        )
    return name


def _module(name: str) -> Any:
    """The innermost module around what has this name. Raises ValueError when there is none."""
    parts = name.split(".")[:-1]
    while parts:
        try:
            return importlib.import_module(".".join(parts))
        except ImportError:
            parts.pop()
    raise ValueError(f"names {name}, and there is no module {name.partition('.')[0]} here")
