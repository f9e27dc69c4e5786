"""Code that reads the same but for its layout and its names: found in any text.

A line copied letter by letter is found by looking for it. Here both sides are taken apart into
words first: breaks, spaces, brackets, commas, quotes and comment signs go, and what a program may
call as it likes counts only by where it stands again. Names behind a dot, keywords, Python's own
names and numbers are kept, for no renaming changes them.
"""

import builtins
import keyword
import re
import tokenize
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate

# Words that no renaming changes, and that a piece of code must have to tell anything. Of the sample
# course's six assignments, no piece with 6 is in what is handed out, and one with 5 is, by chance.
_TELLING = 7
_WORD = re.compile(r"\d[\d_]*(?:\.[\d_]*)?(?:[eE][+-]?\d+)?|\w+|[^\w\s(),;`'\"\\#]")
_COMMENTED_OUT = re.compile(r"^[ \t]*#+", re.MULTILINE)
_COMMENT = re.compile(r"#.*")
_KEPT = frozenset({*keyword.kwlist, *dir(builtins)})
_NAME = "·"  # stands for any name


class Words:
    """A text as its words."""

    def __init__(self, text: str) -> None:
        self.words = [_plain(each) for each in _WORD.findall(text)]

    @cached_property
    def shape(self) -> str:
        """The words with one sign for every name, a space around each."""
        pairs = zip(["", *self.words], self.words, strict=False)
        return f" {' '.join(_NAME if _is_name(*pair) else pair[1] for pair in pairs)} "

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *accumulate(len(each) + 1 for each in self.shape.split())]

    def find(self, piece: "Piece") -> str | None:
        """How these words tell a piece: with its own names, or others that differ as they do."""
        at = self.shape.find(piece.shape)
        while at >= 0:
            first = bisect_left(self._starts, at)
            ours = self.words[first : first + len(piece.words)]
            both = zip(ours, piece.words, piece.shape.split(), strict=True)
            names = {(our, their) for our, their, shape in both if shape == _NAME}
            if len({our for our, _ in names}) == len(names) == len({their for _, their in names}):
                return " ".join(ours)
            at = self.shape.find(piece.shape, at + 1)
        return None


@dataclass(frozen=True)
class Piece:
    """Words of a program that tell something, and the line in which they begin."""

    line: str
    words: tuple[str, ...]

    @cached_property
    def shape(self) -> str:
        """As that of the words in which it is looked for."""
        return Words(" ".join(self.words)).shape


def without_comments(text: str) -> str:
    """A text without the comments behind code; code that was made a comment stays, as code."""
    return _COMMENT.sub("", _COMMENTED_OUT.sub("", text))


@lru_cache
def pieces(text: str, lines: tuple[int, ...]) -> tuple[Piece, ...]:
    """What tells of these lines of a program (from 1): a statement, or a few where they are short.

    Of `return` and of an assignment, what is returned or assigned, where that is long enough: it
    tells as much under another name.
    """
    return tuple(_pieces(list(_statements(text, frozenset(lines)))))


def _pieces(statements: Sequence[tuple[str, list[str]]]) -> Iterator[Piece]:
    for at, (line, words) in enumerate(statements):
        value = _value(words)
        if _tells(value):
            yield Piece(line, tuple(value))
            continue
        taken = list(words)
        for _, more in statements[at + 1 :]:
            if _tells(taken):
                break
            taken += more
        if _tells(taken):
            yield Piece(line, tuple(taken))


def _statements(text: str, lines: frozenset[int]) -> Iterator[tuple[str, list[str]]]:
    rows = text.splitlines()
    found: list[tokenize.TokenInfo] = []
    for each in tokenize.generate_tokens(iter(text.splitlines(keepends=True)).__next__):
        if each.type == tokenize.NEWLINE:
            if found and found[0].start[0] in lines:
                said = " ".join(word.string for word in found)
                yield rows[found[0].start[0] - 1].strip(), Words(said).words
            found = []
        elif each.string.strip() and each.type != tokenize.COMMENT:
            found.append(each)


def _tells(words: Sequence[str]) -> bool:
    pairs = zip(["", *words], words, strict=False)
    return sum(pair[1] != "." and not _is_name(*pair) for pair in pairs) >= _TELLING


def _value(words: Sequence[str]) -> Sequence[str]:
    if words and words[0] == "return":
        return words[1:]
    return words[2:] if len(words) > 2 and words[1] == "=" != words[2] else words


def _plain(word: str) -> str:
    """A word, and a number however it is written."""
    try:
        return repr(float(word)) if word[0].isdigit() else word
    except ValueError:
        return word


def _is_name(before: str, word: str) -> bool:
    return before != "." and word.isidentifier() and word not in _KEPT
