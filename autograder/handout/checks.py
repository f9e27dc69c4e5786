"""Checks your notebook against recorded cases: check("name of the item").

The cases lie beside this file in cases.json: inputs, and what a right solution gives for them.
Grading uses other inputs and looks at more; each check says at what.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

import torch

_EPSILON = torch.finfo(torch.float64).eps


class CheckFailed(AssertionError):
    """The notebook does not pass; the message says what was expected, what came, and a hint."""

    def _render_traceback_(self) -> list[str]:  # what Jupyter shows: the message, no frames
        return [str(self)]


def check(item: str) -> None:
    """Run the public cases of an item on the notebook's own functions; raise CheckFailed."""
    recorded = json.loads(Path(__file__).with_name("cases.json").read_text(encoding="utf-8"))
    try:
        asked = recorded["items"][item]
    except KeyError:
        known = ", ".join(recorded["items"])
        raise CheckFailed(f"there is no item {item!r}; the items are: {known}") from None
    started = time.perf_counter()
    for case in asked["cases"]:
        problem = _problem(case, vars(sys.modules["__main__"]), asked["tolerance"])
        if problem:
            said = [f"{item}: not yet right", case["sentence"], problem, case["hint"]]
            raise CheckFailed("\n  ".join(line for line in said if line))
    print(_all_right(item, asked, time.perf_counter() - started))


def _all_right(item: str, asked: dict[str, Any], seconds: float) -> str:
    if asked["shapes_only"]:
        lines = [f"{item}: the shapes are right. The values are looked at when it is graded:"]
    else:
        count = len(asked["cases"])
        cases = "the public case passes" if count == 1 else f"the {count} public cases pass"
        lines = [f"{item}: {cases} ({seconds:.2f} s). When it is graded, with other inputs:"]
    return "\n  - ".join([*lines, *asked["sentences"]])


def _problem(case: dict[str, Any], names: dict[str, Any], tolerance: float) -> str | None:
    name = case["name"]
    if name not in names:
        return f"{name} is not defined: run the cell that defines it first."
    if "args" not in case:  # a value, not a function
        return compare(names[name], from_json(case["expected"]), tolerance, name)
    args = [from_json(each) for each in case["args"]]
    kwargs = {key: from_json(each) for key, each in case["kwargs"].items()}
    inputs = [*args, *kwargs.values()]
    before = [each.detach().clone() if _has_data(each) else None for each in inputs]
    called = describe_call(name, case["parameters"], args, kwargs)
    try:
        given = [each.view_as(each) if _wants_gradient(each) else each for each in args]
        got = names[name](*given, **kwargs)
    except NotImplementedError:
        return f"{name} is still the stub: write your code where it says so."
    except Exception as error:
        return f"{called} raised {type(error).__name__}: {error}"
    for old, new, parameter in zip(
        before, inputs, called_names(case["parameters"], kwargs), strict=False
    ):
        if old is not None and not torch.equal(old, new):
            return f"{called} changed its input {parameter} in place."
    problem = compare_outputs(
        got,
        from_json(case["expected"]),
        tolerance,
        names=case["outputs"],
        look_at=case["look_at"],
        exact_zeros=case["exact_zeros"],
    )
    if problem is None and case["cotangents"] is not None:
        cotangents = [from_json(each) for each in case["cotangents"]]
        expected = [from_json(each) for each in case["gradients"]]
        try:
            problem = _compare_gradients(got, cotangents, inputs, expected, tolerance, case)
        except Exception as error:
            problem = f"its gradients: torch raised {type(error).__name__}: {error}"
    return f"{called}: {problem}" if problem else None


def _compare_gradients(
    got: Any,
    cotangents: list[Any],
    inputs: list[Any],
    expected: list[Any],
    tolerance: float,
    case: dict[str, Any],
) -> str | None:
    outputs = got if isinstance(got, tuple) else (got,)
    pairs = zip(outputs, cotangents, strict=False)
    total = sum((output * each).sum() for output, each in pairs if each is not None)
    wanted = [each for each in inputs if _wants_gradient(each)]
    if not isinstance(total, torch.Tensor) or not total.requires_grad:
        return NO_GRADIENT
    found = torch.autograd.grad(total, wanted, allow_unused=True, materialize_grads=True)
    for parameter, one, other in zip(case["parameters"], found, expected, strict=False):
        where = f"the gradient of {parameter}"
        problem = compare(one, other, tolerance, where, exact_zeros=case["exact_zeros"])
        if problem:
            return problem
    return None


NO_GRADIENT = "no gradient flows back to the inputs: is something detached, or made anew?"


def _has_data(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.device.type != "meta"


def _wants_gradient(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.requires_grad


def called_names(parameters: list[str], kwargs: dict[str, Any]) -> list[str]:
    """Names of the values of a call, the positional ones first."""
    return [*(each for each in parameters if each not in kwargs), *kwargs]


def describe_call(name: str, parameters: list[str], args: list[Any], kwargs: dict[str, Any]) -> str:
    """A call as a reader would write it, each tensor as its shape."""
    shown = [
        f"{parameter} {_shown(each)}" for parameter, each in zip(parameters, args, strict=False)
    ]
    shown += [f"{key}={_shown(each)}" for key, each in kwargs.items()]
    return f"{name}({', '.join(shown)})"


def _shown(value: Any) -> str:
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
) -> str | None:
    """What is wrong with what a function returned, in a sentence, or None.

    names: of the outputs, one for a function that returns one tensor; look_at: those compared.
    """
    if len(names) == 1:
        return compare(got, expected, tolerance, names[0], exact_zeros=exact_zeros)
    if not isinstance(got, tuple) or len(got) != len(names):
        came = f"{len(got)} values" if isinstance(got, tuple) else _kind(got)
        return f"expected the {len(names)} values ({', '.join(names)}), got {came}"
    for name, one, other in zip(names, got, expected, strict=False):
        if name in look_at:
            problem = compare(one, other, tolerance, name, exact_zeros=exact_zeros)
            if problem:
                return problem
    return None


def compare(
    got: Any, expected: Any, tolerance: float, name: str, *, exact_zeros: bool = False
) -> str | None:
    """What is wrong with a value, in a sentence, or None when it is right.

    expected: a tensor, or a dict with its shape and dtype alone. tolerance: the error allowed in
    float64, relative to values above 1; float32 is allowed more by the ratio of the epsilons.
    exact_zeros: where 0 is expected, nothing else will do.
    """
    if not isinstance(got, torch.Tensor):
        return f"{name}: expected a torch.Tensor, got {_kind(got)}"
    if got.is_nested or got.is_quantized or got.layout != torch.strided:
        return f"{name}: expected a dense tensor, got one that is sparse, nested or quantized"
    if isinstance(expected, dict):
        if list(got.shape) != expected["shape"]:
            return _differs(name, "shape", tuple(expected["shape"]), tuple(got.shape))
        fine = got.device.type != "meta" and _is_finite(got)
        return None if fine else f"{name}: has NaN or infinite values, or none at all"
    if got.shape != expected.shape:
        return _differs(name, "shape", tuple(expected.shape), tuple(got.shape))
    if got.dtype != expected.dtype:
        return _differs(name, "dtype", _name(expected), _name(got))
    if got.device != expected.device:
        return _differs(name, "device", expected.device, got.device)
    if got.device.type == "meta":
        return None
    return _compare_values(got.detach(), expected.detach(), tolerance, name, exact_zeros)


def _is_finite(tensor: torch.Tensor) -> bool:
    plain = tensor if tensor.is_complex() else tensor.double()  # isfinite does not know float8
    return bool(torch.isfinite(plain).all())


def _compare_values(
    got: torch.Tensor, expected: torch.Tensor, tolerance: float, name: str, exact_zeros: bool
) -> str | None:
    if not expected.is_floating_point():
        wrong = got != expected
    elif not torch.isfinite(got).all():
        bad = ~torch.isfinite(got)
        where = _index(bad)
        return (
            f"{name}: {_share(bad)} of the values are NaN or infinite, the first at "
            f"{where}: expected {_number(expected, where)}, got {_number(got, where)}"
        )
    else:
        allowed = tolerance * torch.finfo(expected.dtype).eps / _EPSILON
        difference = (got - expected).abs()
        wrong = difference > allowed * expected.abs().clamp(min=1)
        if exact_zeros:
            leaks = (expected == 0) & (got != 0)
            if leaks.any() and not (wrong & ~leaks).any():
                where = _index(leaks)
                return f"{name}: expected exactly 0 at {where}, got {_number(got, where)}"
            wrong |= leaks
    if not wrong.any():
        return None
    where = _index(wrong)
    said = f"{name}: {_share(wrong)} of the values differ, the first at {where}: "
    said += f"expected {_number(expected, where)}, got {_number(got, where)}"
    if expected.is_floating_point():
        said += f"; the largest difference is {difference.max().item():.3g}"
    return said


def _differs(name: str, what: str, expected: Any, got: Any) -> str:
    return f"{name}: expected {what} {expected}, got {what} {got}"


def _kind(value: Any) -> str:
    if value is None:
        return "None: is there a return?"
    if isinstance(value, torch.Tensor):
        return "one tensor" if value.is_nested else f"one tensor of shape {tuple(value.shape)}"
    text = str(value) if type(value).__name__ == "Odd" else f"a {type(value).__name__}"
    return text


def _index(wrong: torch.Tensor) -> str:
    return str(wrong.nonzero()[0].tolist())


def _number(tensor: torch.Tensor, where: str) -> str:
    value = tensor[tuple(json.loads(where))].item()
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _share(wrong: torch.Tensor) -> str:
    return f"{int(wrong.sum())} of {wrong.numel()}"


def from_json(value: Any) -> Any:
    """A value of cases.json: tensors are objects with dtype, shape, data and memory layout."""
    if isinstance(value, list):
        return tuple(from_json(each) for each in value)
    if not isinstance(value, dict) or "data" not in value:
        return value
    dtype = getattr(torch, value["dtype"])
    order = value["order"]
    flat = torch.tensor(value["data"], dtype=dtype)
    tensor = flat.reshape([value["shape"][axis] for axis in order])
    inverse = sorted(range(len(order)), key=order.__getitem__)
    return tensor.permute(inverse).requires_grad_(value["grad"])
