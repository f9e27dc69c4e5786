"""What a program can be known by, whatever its names: stretches of code, and the words in it.

A stretch is a run of a few pieces, in which every name that its writer was free to choose is the
same sign, and layout, comments and texts are left out: who renames, moves or formats anew keeps
it. Words are what such changes leave behind: names, comments and texts of the writer's own.
"""

import builtins
import hashlib
import keyword
import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Mark", "key_of", "marks", "names", "share_of"]

# Copies in disguise and programs of different hands were told apart best by twelve; eight and
# twenty do nearly as well.
_STRETCH = 12  # names, signs, numbers and texts
_PIECE = re.compile(
    r"""
    (?P<comment>\#[^\n]*)
    | (?P<text>[rbfuRBFU]{0,2}
        (?:\"{3}(?:[^\\]|\\.)*?(?:\"{3}|\\?\Z) | '{3}(?:[^\\]|\\.)*?(?:'{3}|\\?\Z)
        | \"(?:[^\"\\\n]|\\.)*+\"? | '(?:[^'\\\n]|\\.)*+'?))
    | (?P<number>\.?\d(?:[eE][-+]|[\w.])*+)
    | (?P<name>[^\W\d]\w*+)
    | (?P<sign>\*\*=?|//=?|[-+*/%@&|^<>=!:]=|->|[^\s\w])
    """,
    re.VERBOSE | re.DOTALL,
)
_WORD = re.compile(r"[^\W_]+")
_LEAST = 3  # words of a comment or text, letters of a name
_PYTHON = frozenset({*keyword.kwlist, *dir(builtins), "self"})


@dataclass(frozen=True)
class Mark:
    """One thing that two programs may share, and where it stands in the text."""

    kind: str  # "code", "name" or "words"
    key: int  # the same in both
    start: int
    end: int


@dataclass(frozen=True)
class _Piece:
    kind: str
    text: str
    start: int
    end: int


def names(source: str) -> frozenset[str]:
    """Every name in a text: in what was handed out, those that nobody had to think of."""
    return frozenset(each.text for each in _pieces(source) if each.kind == "name")


def marks(source: str, known: frozenset[str]) -> Iterator[Mark]:
    """The marks of a text. known: names that were not the writer's to choose."""
    pieces, code = list(_pieces(source)), list[tuple[str, _Piece]]()
    owner = before = ""
    for each in pieces:
        if each.kind in ("comment", "text"):
            words = " ".join(_WORD.findall(each.text.lower()))
            if words.count(" ") + 1 >= _LEAST:
                yield Mark("words", key_of("words", words), each.start, each.end)
        if each.kind == "comment":
            continue
        said = each.text if each.kind in ("number", "sign") else "text"
        if each.kind == "name":
            foreign = before == "." and owner != "self"  # what torch calls it
            own = not foreign and each.text not in known and each.text not in _PYTHON
            said = "name" if own else each.text
            if own and len(each.text) >= _LEAST:
                yield Mark("name", key_of("name", each.text), each.start, each.end)
        code.append((said, each))
        owner, before = before, each.text
    for at in range(len(code) - _STRETCH + 1):
        run = code[at : at + _STRETCH]
        key = key_of("code", " ".join(said for said, _ in run))
        yield Mark("code", key, run[0][1].start, run[-1][1].end)


def key_of(kind: str, text: str) -> int:
    """The key of something that two may share: today's is tomorrow's, as Python's hash is not.

    That of code is odd, all others are even.
    """
    data = f"{kind}:{text}".encode(errors="replace")
    digest = int.from_bytes(hashlib.blake2b(data, digest_size=8).digest())
    return digest & ~1 | (kind == "code")


def share_of(key: int) -> float:
    """What a mark counts beside others: of code there is one for each piece, so a piece's share."""
    return 1 / _STRETCH if key & 1 else 1.0


def _pieces(source: str) -> Iterator[_Piece]:
    for found in _PIECE.finditer(source):
        yield _Piece(found.lastgroup or "", found[0], found.start(), found.end())
