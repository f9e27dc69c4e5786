"""What every entry of course.yml is made of: strict models, ids, titles."""

import difflib
from collections.abc import Iterable
from typing import Annotated, Any

import pydantic
from pydantic import ConfigDict, Field

__all__ = [
    "ID_PATTERN",
    "ID_WORDS",
    "Entry",
    "Id",
    "Title",
    "UnknownIdError",
    "nearest_of",
    "with_ids",
]

# A description, and after it the bounds of the field, completes the "must be" of a message.
ID_WORDS = "lower-case letters, digits and underscores, the first a letter"
ID_PATTERN = "^[a-z][a-z0-9_]*$"
Id = Annotated[str, Field(pattern=ID_PATTERN, description=ID_WORDS)]
Title = Annotated[str, Field(pattern=r"\S", description="a text that is not blank")]


class UnknownIdError(LookupError):
    """An id that course.yml does not have; the message lists those it has."""


def nearest_of(id: str, known: Iterable[str]) -> str:
    """Of what there is, that which may have been meant: in brackets, or nothing."""
    close = difflib.get_close_matches(id, list(known), n=1)
    return f" (did you mean {close[0]}?)" if close else ""


class Entry(pydantic.BaseModel):
    """A mapping of course.yml, with the keys that are known and no others."""

    # Not strict, pydantic would read `points: true` as 1.0 and `points: "3"` as 3.0.
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


def with_ids(entries: Any) -> Any:
    """Entries under ids as a tuple of entries that hold their id; all else is left as it is."""
    if not isinstance(entries, dict):
        return entries
    return tuple(e | {"id": id} if isinstance(e, dict) else e for id, e in entries.items())
