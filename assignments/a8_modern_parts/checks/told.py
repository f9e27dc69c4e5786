"""What was told since the notebook was started: one cause is told once, and then pointed at."""

from collections.abc import Hashable

from .problem import Cause

_told: dict[Hashable, str] = {}  # at which item, by the key of the cause


def told_at(item: str, cause: Cause) -> str:
    """The item at which the cause was told before; if there is none, this one from now on."""
    forget(item)
    return _told.setdefault(cause.key, item)


def forget(item: str) -> None:
    """What was told at this item holds no longer."""
    for key in [key for key, where in _told.items() if where == item]:
        del _told[key]
