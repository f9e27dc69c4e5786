"""The same edit in all lines that read alike but for names: what is copied is wrong in each."""

import re

_FEWEST = 2  # names in a line that is like another
_NAME = re.compile(r"[^\W\d]\w*")
_ANY = "_"  # in the place of each name


def in_sisters(old: str, new: str, line: int) -> tuple[str, tuple[int, ...]] | None:
    """The text with the change of a line made in each later line that reads like it; and these.

    old, new: the cell before and after an edit of one line; line: which, from 1.
    """
    before, after = old.splitlines(), new.splitlines()
    if len(before) != len(after) or line > len(before):
        return None
    one, changed = before[line - 1], after[line - 1]
    if [*before[: line - 1], *before[line:]] != [*after[: line - 1], *after[line:]]:
        return None
    names, rest = _NAME.findall(one), _NAME.sub(_ANY, one)
    later = list(enumerate(before, 1))[line:]
    alike = [at for at, each in later if _NAME.sub(_ANY, each) == rest and each != one]
    if len(names) < _FEWEST or not alike:
        return None
    for at in alike:
        other = dict(zip(names, _NAME.findall(before[at - 1]), strict=True))
        parts: list[str] = re.split(f"({_NAME.pattern})", changed)
        after[at - 1] = "".join(str(other.get(each, each)) for each in parts)
    return "\n".join(after) + "\n", tuple(alike)
