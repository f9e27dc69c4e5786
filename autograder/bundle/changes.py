"""What has changed between two versions of a course: for students, and for their grades."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from autograder.bundle.checked import checks_of, code_of
from autograder.bundle.versions import Version
from autograder.course import MANIFEST, SOLUTIONS, counted
from autograder.notebooks import percent_cells
from autograder.release import without_facts

_DATED = ("dates", "late", "late_days")
# Of an entry in course.yml what has a line of its own here, and what nobody is graded by.
_OWN_LINE = {"items", "manual", "title", "estimate", "files", *_DATED}
_OF_COURSE = ("limits", "banned", "charge", *_DATED)
_SAMPLES = ("right", "wrong", "hostile", "figures")


@dataclass(frozen=True)
class Change:
    """One thing that changed. assignment: None for what all share; item: None where none is meant.

    students: they would notice; regrade: a score may move by it.
    """

    assignment: str | None
    item: str | None
    what: str
    students: bool
    regrade: bool


def changes(old: Version, new: Version) -> list[Change]:
    """All changes, what all assignments share first."""
    if old.course is None or new.course is None:  # then what students get is compared
        old, new = (replace(each, course=None, private=None) for each in (old, new))
    found = list(_shared(old, new))
    for id in dict.fromkeys([*_ids(old), *_ids(new)]):
        if id not in _ids(new):
            found.append(Change(id, None, "the assignment is gone", True, True))
        elif id not in _ids(old):
            found.append(Change(id, None, "the assignment is new", True, False))
        else:
            found += _assignment(id, old, new)
    return found


def cannot_say(old: Version, new: Version) -> str | None:
    """What this comparison cannot see, in a sentence."""
    if old.private is not None and new.private is not None:
        return None
    return (
        "A bundle holds what students get alone: hidden checks, dates and limits in course.yml, "
        "and the engine were not compared. For those, compare two commits."
    )


def _ids(version: Version) -> list[str]:
    if version.course is None:
        return sorted(version.released)
    return [str(each) for each in version.course.get("assignments") or ()]


def _shared(old: Version, new: Version) -> Iterator[Change]:
    if old.course is not None and new.course is not None:
        for key in _OF_COURSE:
            if old.course.get(key) != new.course.get(key):
                said = f"{MANIFEST}: {key}: {_values(old.course.get(key), new.course.get(key))}"
                yield Change(None, None, said, key in _DATED, key not in _DATED)
    if old.private is None or new.private is None:
        return
    differ = [
        each
        for each in _differing(old.private, new.private)
        if _codes(old.private, each) != _codes(new.private, each)
    ]
    rooms = sorted({each.split("/")[1] for each in differ if each.startswith("autograder/")})
    if rooms:
        yield Change(None, None, f"the engine: {', '.join(rooms)}", False, True)
    for path in differ:
        if path.endswith(".py") and path.startswith(f"{SOLUTIONS}/") and path.count("/") == 1:
            yield Change(None, None, f"{path}, which assignments share", False, True)


def _assignment(id: str, old: Version, new: Version) -> Iterator[Change]:
    was, is_now = old.entry(id), new.entry(id)
    yield from _items(id, old, new)
    for key in sorted({*was, *is_now} - _OWN_LINE) if old.course and new.course else ():
        if was.get(key) != is_now.get(key):
            said = f"{key}: {_values(was.get(key), is_now.get(key))}"
            yield Change(id, None, said, key in ("banned", "handed_in"), True)
    for key in (*_DATED, "title") if old.course and new.course else ():
        if was.get(key) != is_now.get(key):
            said = f"{key}: {_values(was.get(key), is_now.get(key))}"
            yield Change(id, None, said, True, False)
    yield from _files(id, old, new)
    if old.private is not None and new.private is not None:
        yield from _behind(id, old.private, new.private)


def _items(id: str, old: Version, new: Version) -> Iterator[Change]:
    was, is_now = _parts(old, id), _parts(new, id)
    words = old.words(id), new.words(id)
    cases = old.cases(id).get("items", {}), new.cases(id).get("items", {})
    checks = _checks(old, id), _checks(new, id)
    for item in dict.fromkeys([*was, *is_now]):
        if item not in is_now:
            yield Change(id, item, f"is gone ({_points(was[item])})", True, True)
            continue
        if item not in was:
            yield Change(id, item, f"is new ({_points(is_now[item])})", True, True)
            continue
        for key in sorted({*was[item], *is_now[item]}):
            before, after = was[item].get(key), is_now[item].get(key)
            if before != after:
                yield Change(id, item, f"{key}: {_values(before, after)}", True, key != "title")
        if _said(words[0].get(item)) != _said(words[1].get(item)):
            yield Change(id, item, "words or cells of the notebook", True, False)
        one, other = (each.get(item, {}) for each in cases)
        if one.get("sentences") != other.get("sentences"):
            yield Change(id, item, "sentences of its checks", True, False)
        asked = [[_asked(each) for each in side.get("cases", ())] for side in (one, other)]
        if asked[0] != asked[1]:
            said = f"public cases: {len(asked[0])} before, {len(asked[1])} now"
            yield Change(id, item, said, True, True)
        named = _differing(checks[0].get(item, {}), checks[1].get(item, {}))
        if named:
            yield Change(id, item, f"checks: {', '.join(named)}", False, True)
    if _said(words[0].get("")) != _said(words[1].get("")):
        yield Change(id, None, "words or cells behind the last item", True, False)


def _files(id: str, old: Version, new: Version) -> Iterator[Change]:
    """Files handed out, but for those that are told by item."""
    before, after = old.released.get(id, {}), new.released.get(id, {})
    differ = _differing(before, after)
    told = [each for each in differ if each not in (f"{id}.ipynb", "checks/cases.json")]
    helper = [each for each in told if each.startswith("checks/")]
    rest = [each for each in told if each not in helper]
    if helper:
        yield Change(
            id, None, f"the notebook's checks ({counted(len(helper), 'file')})", True, False
        )
    if rest:
        yield Change(id, None, f"files handed out: {', '.join(rest)}", True, False)


def _behind(id: str, old: Mapping[str, bytes], new: Mapping[str, bytes]) -> Iterator[Change]:
    """What grades it and is handed to nobody."""
    folder = f"{SOLUTIONS}/{id}/"
    source = f"{folder}{id}.py"
    if _reference(old, source) != _reference(new, source):
        yield Change(id, None, "the reference, or what is given", False, True)
    faults = [each for each in _differing(old, new) if each.startswith(f"{folder}faults/")]
    faults = [each for each in faults if _codes(old, each) != _codes(new, each)]
    if faults:
        yield Change(id, None, f"known mistakes: {', '.join(_names(faults))}", False, True)
    rest = [
        each
        for each in _differing(old, new)
        if each.startswith(folder)
        and each not in (source, f"{folder}checks.py")
        and each.removeprefix(folder).split("/")[0] not in (*_SAMPLES, "faults", "answers.md")
        and _codes(old, each) != _codes(new, each)
    ]
    if rest:
        yield Change(id, None, f"files beside the source: {', '.join(_names(rest))}", False, True)


def _reference(files: Mapping[str, bytes], path: str) -> list[str]:
    text = files.get(path, b"").decode(errors="replace")
    return [
        code_of(cell["source"])
        for cell in percent_cells(text)
        if cell["cell_type"] == "code"
        and cell["metadata"].get("active") != "ipynb"
        and {"solution", "given"} & cell["metadata"].keys()
    ]


def _codes(files: Mapping[str, bytes], path: str) -> object:
    data = files.get(path)
    if data is None or not path.endswith(".py"):
        return data
    return code_of(data.decode(errors="replace"))


def _parts(version: Version, id: str) -> dict[str, Mapping[str, Any]]:
    entry = version.entry(id)
    return {**(entry.get("items") or {}), **(entry.get("manual") or {})}


def _checks(version: Version, id: str) -> Mapping[str, Mapping[str, str]]:
    if version.private is None:
        return {}
    return checks_of(
        version.private.get(f"{SOLUTIONS}/{id}/checks.py", b"").decode("utf-8", "replace")
    )


def _asked(case: Mapping[str, Any]) -> dict[str, Any]:
    """A case without its words."""
    return {key: each for key, each in case.items() if key not in ("sentence", "hint", "fits")}


def _said(text: str | None) -> str:
    """Words as they are read: points have a line of their own."""
    return " ".join(without_facts(text or "").split())


def _differing(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    return sorted(each for each in {*old, *new} if old.get(each) != new.get(each))


def _names(paths: Iterable[str]) -> list[str]:
    return [each.rpartition("/")[2] for each in paths]


def _points(entry: Mapping[str, Any]) -> str:
    return f"{_short(entry.get('points'))} points"


def _values(before: object, after: object) -> str:
    return f"{_short(before)} before, {_short(after)} now"


def _short(value: object) -> str:
    said = "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
    return said if len(said) <= 80 else f"{said[:77]}..."
