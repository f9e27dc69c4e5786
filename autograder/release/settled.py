"""Recorded cases that are rebuilt elsewhere: the last digits of a number depend on the processor.

What was recorded before stays, number by number, unless one has moved by more than the tolerance
that it is compared with, or anything else has changed. So a release is the same bytes wherever it
is built, and a change of it shows what has changed and nothing more.
"""

from typing import Any

from autograder.handout.checks.compare import FLOAT32
from autograder.handout.checks.prints import same

# What a case has of the reference. All other plain numbers in it are inputs, written by people.
_COMPUTED = ("expected", "expected_read", "gradients", "cotangents")
# A mistake may blow up the last digits: its print is kept where it differs by no more.
_OF_MISTAKES = 1e-6


def settled(new: dict[str, Any], old: Any) -> dict[str, Any]:
    """The recorded cases `new`, with every number of `old` that is the same within tolerance."""
    if not isinstance(old, dict) or not isinstance(old.get("items"), dict):
        return new
    items = {
        name: _kept(item, old["items"].get(name), item["tolerance"], computed=False)
        for name, item in new["items"].items()
    }
    for name, item in items.items():
        if "mistakes" in item:
            before = old["items"].get(name, {}).get("mistakes", {})
            item["mistakes"] = {
                fault: before[fault] if same(prints, before.get(fault), _OF_MISTAKES) else prints
                for fault, prints in item["mistakes"].items()
            }
    return new | {"items": items}


def _kept(new: Any, old: Any, tolerance: float, computed: bool) -> Any:
    if isinstance(new, dict) and isinstance(old, dict):
        if "data" in new:
            return _tensor(new, old, tolerance)
        return {
            key: _kept(value, old.get(key), tolerance, computed or key in _COMPUTED)
            for key, value in new.items()
        }
    if isinstance(new, list) and isinstance(old, list) and len(new) == len(old):
        return [_kept(*pair, tolerance, computed) for pair in zip(new, old, strict=True)]
    if computed and isinstance(new, float) and _is_same(new, old, tolerance):
        return old
    return new


def _tensor(new: dict[str, Any], old: dict[str, Any], tolerance: float) -> dict[str, Any]:
    if {**new, "data": None} != {**old, "data": None} or not new["dtype"].startswith("float"):
        return new
    allowed = tolerance if new["dtype"] == "float64" else max(tolerance, FLOAT32)
    pairs = zip(new["data"], old["data"], strict=True)  # as many as the shape, which is the same
    return new | {"data": [two if _is_same(one, two, allowed) else one for one, two in pairs]}


def _is_same(new: float, old: Any, tolerance: float) -> bool:
    return isinstance(old, float) and abs(new - old) <= tolerance * max(1.0, abs(new))
