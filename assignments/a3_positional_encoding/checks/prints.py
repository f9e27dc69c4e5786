"""What came, as a few numbers: enough to know it again, too few to hold it.

Each tensor is left as its kind and two sums of its numbers, each number times one that is drawn.
So the answers of known mistakes can lie in cases.json: they are known when they come, and nobody
can read from them what is right.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import torch

from .compare import FLOAT32
from .recorded import Came
from .weights import uniform

_SUMS = 2
_NO_NUMBER = {"nan": 1234.5, "posinf": 4321.5, "neginf": -2143.5}  # as far as any from all others
# Of what is further off digits are counted: the sums stay finite, and do not drown what is small.
_LARGE = 5e3
Print = dict[str, Any]


def print_of(case: Mapping[str, Any], came: Came) -> Print:
    """The print of what came to a case: of all that the case looks at, by name."""
    if came.shapes is not None:
        shapes = json.dumps(sorted((name, list(each)) for name, each in came.shapes.items()))
        start = (name for name in case.get("start", ()) if name in came.shapes and came.value)
        numbers = {name: _of(came.value[name]) for name in start}
        return {"shapes": hashlib.sha256(shapes.encode()).hexdigest()[:16]} | numbers
    # Before anything was called: it returned nothing, nor None.
    if came.refused is not None and came.error is None:
        return {"error": ["", str(came.refused)]}
    seen: Print = {"error": list(came.error)} if came.error else {}
    if (came.value is None and came.error) or case["kind"] == "raises":
        return seen
    if case["kind"] == "value":
        return {"value": _of(came.value)}
    outputs = case["outputs"]
    single = len(outputs) == 1
    values = (came.value,) if single else came.value
    if not isinstance(values, tuple) or len(values) != len(outputs):
        return {"form": _of(came.value)}
    for name, each in [*zip(outputs, values), *zip(case["read"], came.read)]:  # noqa: B905
        if name in case["look_at"]:
            seen[name] = _of(each)
    if came.changed:
        seen["changed"] = list(came.changed)
    if came.mode_changed and "mode_changed" in case:
        seen["mode_changed"] = True
    if case["cotangents"] is not None and "error" not in seen:
        found = came.gradients or ()
        flat = [each.detach().flatten() for each in found if each is not None]
        seen["gradients"] = _of(torch.cat(flat)) if flat else None
        seen["frozen"] = [at for at, each in enumerate(found) if each is None]
    return seen


def same(one: Any, other: Any, tolerance: float) -> bool:
    """Whether two prints are of the same numbers, but for rounding."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(
            same(each, other[name], tolerance) for name, each in one.items()
        )
    if not (isinstance(one, list) and isinstance(other, list) and len(one) == len(other)):
        return bool(one == other)
    if len(one) == _SUMS + 2 and isinstance(one[1], float):
        allowed = max(tolerance, FLOAT32) if one[0].startswith("float32") else tolerance
        pairs = zip(one[1:], other[1:], strict=True)
        return one[0] == other[0] and all(abs(a - b) <= allowed * one[1] for a, b in pairs)
    return all(same(*pair, tolerance) for pair in zip(one, other, strict=True))


def _of(value: Any) -> Any:
    """[kind, size, sum, sum] of a tensor."""
    if not isinstance(value, torch.Tensor) or value.is_nested or value.layout != torch.strided:
        return value if isinstance(value, (bool, int, str)) else type(value).__name__
    kind = f"{str(value.dtype).removeprefix('torch.')} {tuple(value.shape)}"
    if value.device.type == "meta" or value.is_complex():
        return kind
    numbers = value.detach().double().flatten().nan_to_num(**_NO_NUMBER)
    far = (numbers.abs() / _LARGE).clamp(min=1)
    numbers = numbers / far * (1 + far.log())
    drawn = uniform(_SUMS * len(numbers), seed=len(numbers)).reshape(_SUMS, -1)
    size = numbers.abs().clamp(min=1).norm()  # what rounding grows with
    return [kind, *torch.cat([size[None], drawn @ numbers]).tolist()]
