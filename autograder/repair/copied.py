"""What a line would read if it had been copied well: as its sister does, with its own names.

Two lines that do the same for two things are mostly written as one, and copied.
"""

import re
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher

import libcst as cst

from autograder.repair.spot import Spot

_NAME = re.compile(r"[^\W\d]\w*")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")  # of a name
_DIGITS = "123"  # at the end of names of what there is several of
_ALIKE = 0.6  # of two names, the share that is the same


def numbered(spot: Spot) -> Iterator[str]:
    """The like of an attribute that ends in a digit, as norm3 is of norm2."""
    node = spot.node
    if isinstance(node, cst.Attribute) and node.attr.value[-1] in _DIGITS:
        name, digit = spot.source[:-1], spot.source[-1]
        yield from (f"{name}{each}" for each in _DIGITS if each != digit)


def as_sister(spot: Spot) -> Iterator[str]:
    """The value of another line of the function, with its names changed for those of this line."""
    if not (isinstance(spot.parent, cst.Assign) and spot.is_value and spot.function):
        return
    own, view = spot.view.source(spot.parent.targets[0].target), spot.view
    for value in view.bound_values(spot.function):
        above = next(each for each in view.around(value) if isinstance(each, cst.Assign))
        target = view.source(above.targets[0].target)
        if isinstance(value, cst.Call) and target != own:
            text = view.source(value)
            words = _words(target, own)
            if words:
                yield _renamed(text, _names(text, spot.source), words)


def _words(theirs: str, own: str) -> dict[str, str]:
    """Which words of a name are others in its sister's, if they have as many."""
    one, other = _WORD.findall(theirs), _WORD.findall(own)
    if len(one) != len(other):
        return {}
    return {a.lower(): b.lower() for a, b in zip(one, other, strict=True) if a != b}


def _names(theirs: str, own: str) -> dict[str, str]:
    """Of the names that stand in one alone, those that are nearly the same."""
    one, other = _NAME.findall(theirs), _NAME.findall(own)
    found = {}
    for name in (each for each in one if each not in other):
        likeness = {x: SequenceMatcher(None, name, x).ratio() for x in other if x not in one}
        best = max(likeness, key=likeness.__getitem__, default=None)
        if best is not None and likeness[best] >= _ALIKE:
            found[name] = best
    return found


def _renamed(text: str, names: Mapping[str, str], words: Mapping[str, str]) -> str:
    def word(found: re.Match[str]) -> str:
        old = found[0]
        new = words.get(old.lower(), old)
        return new.capitalize() if old[0].isupper() and new != old else new

    return _NAME.sub(lambda name: names.get(name[0]) or _WORD.sub(word, name[0]), text)


def in_a_call(spot: Spot) -> Iterator[str]:
    """One of several values that stand side by side, in the call in which another one stands."""
    view, parent = spot.view, spot.parent
    if not isinstance(parent, cst.Element):
        return
    around = next(x for x in view.around(parent) if isinstance(x, (cst.Tuple, cst.List, cst.Set)))
    rest = _NAME.sub("", re.sub(r"\d+", "", spot.source))
    for value in (each.value for each in around.elements if each is not parent):
        if isinstance(value, cst.Call) and value.args:
            inner, func = view.source(value.args[0].value), view.source(value.func)
            if _NAME.sub("", re.sub(r"\d+", "", inner)) == rest:
                more = "".join(f", {view.source(each)}" for each in value.args[1:])
                yield f"{func}({spot.source}{more})"
