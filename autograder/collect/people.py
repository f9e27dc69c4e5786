"""Whose a hand-in is: what a system calls a student, looked up in the roster.

Where the roster does not know somebody, and only there, an id is made of what the system says.
"""

import hashlib
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from autograder.course import Person, Roster

__all__ = ["Claim", "Claims"]

_UNKNOWN = "unknown_"  # before the id of who is not in the roster, so that it is nobody else's
_MAX_BYTES = 150


@dataclass(frozen=True)
class Claim:
    """What a system says of who handed in.

    shown: in its own words. keys: what to look for in the roster, the surest first: pairs of what
    it is ("id", "name", "email", or the system's own, as "canvas") and its value.
    """

    shown: str
    keys: tuple[tuple[str, str], ...]


def _plain(name: str) -> str:
    """A name as systems write it into the names of files, without what they leave out of it."""
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFKC", name).casefold())


class Claims:
    """All who handed in, each with an id.

    roster: the class. claims: what the system says of them, all at once, as two may be of one name.
    """

    def __init__(self, roster: Roster, claims: Iterable[Claim]) -> None:
        self._roster = roster
        self._known = defaultdict[tuple[str, str], set[str]](set)
        for person in roster.people.values():
            for key in _keys(person):
                self._known[key].add(person.id)
        self._made = Counter(_made_of(claim).casefold() for claim in {*claims})

    def student(self, claim: Claim) -> tuple[str, bool]:
        """The student's id, and whether it is one of the roster's, if there is a roster."""
        for found in self._found(claim):
            if len(found) == 1:
                return next(iter(found)), True
        return self.unknown(claim), not self._roster.people

    def alike(self, claim: Claim) -> tuple[str, ...]:
        """The ids of those in the roster between whom what the system says cannot choose."""
        return tuple(sorted(next(filter(None, self._found(claim)), ())))

    def _found(self, claim: Claim) -> Iterator[set[str]]:
        for what, value in claim.keys:
            wanted = _plain(value) if what == "name" else value.casefold()
            yield self._known.get((what, wanted), set()) if wanted else set()

    def unknown(self, claim: Claim) -> str:
        """The id of somebody who is not in the roster."""
        made = _made_of(claim)
        if self._made[made.casefold()] > 1:
            made = f"{made}_{_digest(claim)}"
        return f"{_UNKNOWN}{made}" if self._roster.people else made


def _keys(person: Person) -> Iterator[tuple[str, str]]:
    yield from {"id": person.id.casefold(), "email": person.email.casefold()}.items()
    yield "login", person.email.casefold().partition("@")[0]
    yield from ((system, value.casefold()) for system, value in person.lms.items())
    words = person.name.split()  # systems sort by what they take for the last name
    for cut in range(len(words)):
        yield "name", _plain("".join(words[cut:] + words[:cut]))


def _made_of(claim: Claim) -> str:
    """A folder's name of what a system says, the same whenever it says so."""
    said = unicodedata.normalize("NFKC", claim.shown)
    made = re.sub(r"[^\w.@-]+", "_", said).strip("._") or "nobody"
    if len(made.encode(errors="replace")) > _MAX_BYTES:
        made = f"{made[:30]}_{_digest(claim)}"
    return made


def _digest(claim: Claim) -> str:
    return hashlib.sha256(repr(claim).encode(errors="replace")).hexdigest()[:6]
