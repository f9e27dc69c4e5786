"""What is wrong with a value, in a sentence; the grader and the notebook say it alike."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from .problem import Problem

# In float32 no less is allowed: 1e-12, which float64 code keeps with ease, times the ratio of the
# two machine epsilons.
FLOAT32 = 5.4e-4
# Relative to values above 1, what float32 inside float64 code leaves.
_AS_FLOAT32 = 2e-9, 3e-6
_LISTED = 6
_RETURN = ": is there a return?"
NO_GRADIENT = Problem(
    "no gradient flows back to the inputs: is something detached, or made anew?", "gradient"
)


def called_names(parameters: list[str], kwargs: dict[str, Any]) -> list[str]:
    """Names of the values of a call, the positional ones first."""
    return [*(each for each in parameters if each not in kwargs), *kwargs]


def describe_call(
    called: str, parameters: list[str], args: list[Any], kwargs: dict[str, Any]
) -> str:
    """A call as a reader would write it, each tensor as its shape."""
    names = [*(f"{each} " for each in parameters), *[""] * len(args)]
    shown = [f"{name}{_shown(each)}" for name, each in zip(names, args, strict=False)]
    shown += [f"{key} {_shown(each)}" for key, each in kwargs.items()]
    return f"{called}({', '.join(shown)})"


def describe_module(
    name: str,
    args: Sequence[Any] | None = None,
    kwargs: Mapping[str, Any] | None = None,
    method: str = "forward",
    train: bool = False,
) -> str:
    """What is called as a reader would write it; args: of a module's constructor, if it is one."""
    if args is None:
        return name
    given = [*map(_shown, args), *(f"{key}={_shown(each)}" for key, each in (kwargs or {}).items())]
    said = f"{name}({', '.join(given)})" + (".train()" if train else "")
    return said if method == "forward" else f"{said}.{method}"


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return str(value["module"]["name"])
    if not isinstance(value, torch.Tensor):
        return str(value)
    kind = "" if value.dtype in (torch.float64, torch.bool, torch.int64) else f"{_name(value)} "
    kind += "non-contiguous " if not value.is_contiguous() else ""
    kind += "meta " if value.device.type == "meta" else ""
    return kind + str(tuple(value.shape))


def _name(tensor: torch.Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def compare_outputs(
    got: Any,
    expected: Any,
    tolerance: float,
    *,
    names: list[str],
    look_at: list[str],
    exact_zeros: bool = False,
) -> Problem | None:
    """What is wrong with what a function returned, in a sentence, or None.

    names: of the outputs, one for a function that returns one tensor; look_at: those compared.
    """
    if len(names) == 1:
        if names[0] not in look_at:
            return None
        problem = compare(got, expected, tolerance, names[0], exact_zeros=exact_zeros)
        return Problem(f"{problem}{_RETURN}", "type") if problem and got is None else problem
    if not isinstance(got, tuple) or len(got) != len(names):
        came = f"{len(got)} values" if isinstance(got, tuple) else _kind(got)
        came += _RETURN if got is None else ""
        return Problem(f"expected the {len(names)} values ({', '.join(names)}), got {came}", "type")
    for name, one, other in zip(names, got, expected, strict=False):
        if name in look_at:
            problem = compare(one, other, tolerance, name, exact_zeros=exact_zeros)
            if problem:
                return problem
    return None


def compare(
    got: Any, expected: Any, tolerance: float, name: str, *, exact_zeros: bool = False
) -> Problem | None:
    """What is wrong with a value, in a sentence, or None when it is right.

    expected: a tensor, or a dict with its shape and dtype alone. tolerance: the error allowed in
    float64, relative to values above 1; float32 is allowed more by the ratio of the epsilons.
    exact_zeros: where 0 is expected, nothing else will do.
    """
    if isinstance(expected, (int, float)):
        return _compare_numbers(got, expected, tolerance, name)
    if not isinstance(got, torch.Tensor):
        return Problem(f"{name}: expected a torch.Tensor, got {_kind(got)}", "type")
    if got.is_nested or got.is_quantized or got.layout != torch.strided:
        said = "expected a dense tensor, got one that is sparse, nested or quantized"
        return Problem(f"{name}: {said}", "type")
    if isinstance(expected, dict):
        if list(got.shape) != expected["shape"]:
            return _differs(name, "shape", tuple(expected["shape"]), tuple(got.shape))
        fine = got.device.type != "meta" and _is_finite(got)
        return (
            None
            if fine
            else Problem(f"{name}: has NaN or infinite values, or none at all", "infinite")
        )
    if got.shape != expected.shape:
        return _differs(name, "shape", tuple(expected.shape), tuple(got.shape))
    if got.dtype != expected.dtype:
        return _differs(name, "dtype", _name(expected), _name(got))
    if got.device != expected.device:
        return _differs(name, "device", expected.device, got.device)
    if got.device.type == "meta":
        return None
    return _compare_values(got.detach(), expected.detach(), tolerance, name, exact_zeros)


def _compare_numbers(got: Any, expected: float, tolerance: float, name: str) -> Problem | None:
    if isinstance(got, torch.Tensor) and got.numel() == 1 and not got.is_complex():
        got = got if got.device.type == "meta" else got.item()  # without data it is no number
    if isinstance(got, bool) or not isinstance(got, (int, float)):
        return Problem(f"{name}: expected a number, got {_kind(got)}", "type")
    if abs(got - expected) <= tolerance * max(1.0, abs(expected)):  # never so for NaN
        return None
    return Problem(f"{name}: expected {expected:.6g}, got {got:.6g}")


def _is_finite(tensor: torch.Tensor) -> bool:
    plain = tensor if tensor.is_complex() else tensor.double()  # isfinite does not know float8
    return bool(torch.isfinite(plain).all())


def _compare_values(
    got: torch.Tensor, expected: torch.Tensor, tolerance: float, name: str, exact_zeros: bool
) -> Problem | None:
    allowed = tolerance if expected.dtype == torch.float64 else max(tolerance, FLOAT32)
    if not expected.is_floating_point():
        wrong = got != expected
    elif _is_right(got, expected, allowed, exact_zeros):  # most are
        return None
    elif not torch.isfinite(got).all():
        bad = ~torch.isfinite(got)
        where = _index(bad)
        return Problem(
            f"{name}: {_share(bad)} of the values are NaN or infinite, the first at "
            f"{where}: expected {_number(expected, where)}, got {_number(got, where)}",
            "infinite",
        )
    else:
        difference = (got - expected).abs()
        wrong = difference > allowed * expected.abs().clamp(min=1)
        if exact_zeros:
            leaks = (expected == 0) & (got != 0)
            if leaks.any() and not (wrong & ~leaks).any():
                where = _index(leaks)
                said = f"expected exactly 0 at {where}, got {_number(got, where)}"
                return Problem(f"{name}: {said}")
            wrong |= leaks
    if not wrong.any():
        return None
    where = _index(wrong)
    shown = _number(expected, where), _number(got, where)
    if shown[0] == shown[1]:
        shown = _number(expected, where, 12), _number(got, where, 12)
    share = f"{_share(wrong)} of the values differ, the first at {where}: " if got.dim() else ""
    said = f"{name}: {share}expected {shown[0]}, got {shown[1]}"
    if expected.is_floating_point():
        largest = difference.max().item()
        relative = (difference / expected.abs().clamp(min=1)).max().item()
        said += f"; the largest difference is {largest:.3g}"
        if expected.dtype == torch.float64 and _AS_FLOAT32[0] < relative < _AS_FLOAT32[1]:
            return Problem(f"{said}. {_as_float32(got[wrong], expected[wrong])}", "dtype")
    return Problem(said)


def _is_right(got: torch.Tensor, expected: torch.Tensor, allowed: float, exact_zeros: bool) -> bool:
    # Most are the same to the last bit, and finite: to see that takes a fifth of the time.
    if torch.equal(got, expected) and math.isfinite(expected.sum()):
        return True
    right = (got - expected).abs() <= allowed * expected.abs().clamp(min=1)  # never so for NaN
    if exact_zeros:
        right &= (expected != 0) | (got == 0)
    return bool(right.all())


def _as_float32(got: torch.Tensor, expected: torch.Tensor) -> str:
    """What is asked about so little; both are float64, and differ."""
    if torch.equal(got.float().double(), got) and not torch.equal(
        expected.float().double(), expected
    ):
        return "These are numbers of float32: where does float64 get lost?"
    return (
        "So little often comes of a number made in float32, such as a root, or of a tiny one that "
        "is added: is there one?"
    )


def _differs(name: str, what: str, expected: Any, got: Any) -> Problem:
    return Problem(f"{name}: expected {what} {expected}, got {what} {got}", what)


def _kind(value: Any) -> str:
    if value is None:
        return "None"
    if isinstance(value, torch.Tensor):
        return "one tensor" if value.is_nested else f"one tensor of shape {tuple(value.shape)}"
    text = str(value) if type(value).__name__ == "Odd" else f"a {type(value).__name__}"
    return text


def _index(wrong: torch.Tensor) -> str:
    return str(wrong.nonzero()[0].tolist())


def _number(tensor: torch.Tensor, where: str, digits: int = 6) -> str:
    value = tensor[tuple(json.loads(where))].item()
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value)


def _share(wrong: torch.Tensor) -> str:
    return f"{int(wrong.sum())} of {wrong.numel()}"


def compare_start(
    theirs: Mapping[str, Any], ours: Mapping[str, Any], tolerance: float
) -> Problem | None:
    """What is wrong with the numbers of a new module's parameters, in a sentence, or None."""
    named = ((f"a new {name}", theirs[name], each) for name, each in ours.items())
    problems = (compare(one, other, tolerance, name) for name, one, other in named)
    return next(filter(None, problems), None)


def differences(
    theirs: Mapping[str, Sequence[int]], ours: Mapping[str, Sequence[int]]
) -> str | None:
    """How the names and shapes of a module's parameters differ from those expected, or None."""
    said = []
    for what, names in (
        ("missing", [name for name in ours if name not in theirs]),
        ("not asked for", [name for name in theirs if name not in ours]),
    ):
        if names:
            more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
            said.append(f"{what}: {', '.join(names[:_LISTED])}{more}")
    for name in ours:
        if name in theirs and tuple(theirs[name]) != tuple(ours[name]):
            shapes = tuple(ours[name]), tuple(theirs[name])
            said.append(f"{name}: expected shape {shapes[0]}, got shape {shapes[1]}")
    there = {name.partition(".")[0] for name in theirs}
    gone = next((name for name in ours if name.partition(".")[0] not in there), None)
    if gone and len(said) == 1:  # nothing else stands in its place
        kept = f"self.{gone.partition('.')[0]}"
        said[0] += f" (is a module or an nn.Parameter assigned to {kept}?)"
    return "; ".join(said[:_LISTED]) or None
