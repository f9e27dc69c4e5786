"""A recorded case: made from cases.json again, and put to the notebook's own code."""

import builtins
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from .compare import (
    NO_GRADIENT,
    called_names,
    compare,
    compare_outputs,
    compare_start,
    describe_call,
    describe_module,
    differences,
)
from .problem import Cause, Problem
from .raised import as_known, raised, undefined, unwritten
from .weights import drawn_weights, load

_Case = dict[str, Any]
_ANOTHER_MODE = "a module is left in another mode (train or eval) than it came in"


class _Told(Exception):
    """What is wrong before anything is compared, as the student is to read it."""

    def __init__(self, said: str, cause: Cause | None = None, shapes: Any = None) -> None:
        super().__init__(said)
        self.cause = cause
        self.shapes = shapes


@dataclass
class Came:
    """What code gave to one case: the notebook's, or a known mistake's when cases are recorded.

    refused: what is wrong before anything is compared, in a sentence. error: its type, and its
    words where those are torch's or Python's. shapes: of a module's parameters, where they are
    asked for or others than they must be. changed: the names of inputs that were written to.
    """

    said: str = ""
    value: Any = None
    read: Sequence[Any] = ()
    gradients: Sequence[Any] | None = ()  # None: nothing flows back; in it: not to that one
    changed: Sequence[str] = ()
    mode_changed: bool = False  # a module was left in train mode or eval mode, unlike it came
    error: tuple[str, str] | None = None
    shapes: Mapping[str, Sequence[int]] | None = None
    refused: Problem | None = None
    is_unwritten: bool = False  # a stub stands there, or nothing
    lost: Problem | None = None  # why there are no gradients


def ask(case: _Case, names: Mapping[str, Any]) -> Came:
    """Put a case to the notebook's own code; names: all that the notebook defines."""
    name = case["name"]
    missing = next((each for each in (name, *_classes(case)) if each not in names), None)
    if missing is not None:
        return Came(refused=undefined(missing), is_unwritten=True)
    if case["kind"] == "value":
        return Came(name, names[name])
    try:
        return _called(case, names)
    except _Told as told:
        return Came(refused=Problem(str(told), "error", told.cause), shapes=told.shapes)


def _classes(case: _Case) -> list[str]:
    parts = [*case.get("args", ()), *case.get("kwargs", {}).values()]
    return [each["module"]["name"] for each in parts if _is_module(each)]


def _is_module(value: Any) -> bool:
    return isinstance(value, dict) and "module" in value


def _called(case: _Case, names: Mapping[str, Any]) -> Came:
    wants = [from_json(each) for each in case["args"]]
    options = {key: from_json(each) for key, each in case["kwargs"].items()}
    said = describe_call(case["called"], case["parameters"], wants, options)
    modules: list[nn.Module] = []
    args: list[Any] = []

    def called() -> Any:
        target = names[case["name"]]
        if case["module"]:
            target = _make(case["module"], names)
            modules.append(target)
            if case["module"]["method"] != "forward":
                target = getattr(target, case["module"]["method"])
        for value in [*wants, *options.values()]:
            if _is_module(value):
                value = _make(value["module"], names)
                modules.append(value)
            args.append(value)
        given = [each.view_as(each) if _wants_gradient(each) else each for each in args]
        before[:] = [each.detach().clone() if _has_data(each) else None for each in args]
        return target(*given[: len(wants)], **dict(zip(options, given[len(wants) :], strict=True)))

    before: list[Any] = []
    try:
        got = called()
        read = tuple(getattr(modules[0], each) for each in case["read"])
    except _Told:
        raise
    except Exception as error:
        if stub := unwritten(error):
            return Came(said, refused=stub, is_unwritten=True)
        found = raised(said, error, names)
        problem = _wrong_error(case, said, error, found) if case["kind"] == "raises" else found
        return Came(said, error=as_known(error, names), refused=problem)
    if case["kind"] == "raises":
        nothing = Problem(f"{said} raised nothing; expected a {case['expected']}")
        return Came(said, refused=nothing)
    if case["kind"] == "parameters":
        return Came(said, got, shapes={key: tuple(each.shape) for key, each in got.items()})
    every = called_names(case["parameters"], options)
    changed = [
        parameter
        for old, new, parameter in zip(before, args, every, strict=False)
        if old is not None and not torch.equal(old, new)
    ]
    made = zip(modules, _modules_of(case), strict=True)
    moded = any(x.training != part["train"] for module, part in made for x in module.modules())
    came = Came(said, got, read, changed=changed, mode_changed=moded)
    if case["cotangents"] is not None:
        try:
            weights = [
                module.get_parameter(each)
                for module, part in zip(modules, _modules_of(case), strict=True)
                for each in part["shapes"] or ()
            ]
            inputs = [each for each in args if _wants_gradient(each)]
            came.gradients = _gradients(got, [*inputs, *weights], case)
        except Exception as error:
            told = f"its gradients: torch raised {type(error).__name__}: {error}"
            came.error, came.lost = as_known(error, names), Problem(told, "error")
    return came


def problem_of(case: _Case, came: Came, tolerance: float) -> Problem | None:
    """What is wrong with what came, in a sentence, or None."""
    if came.refused or case["kind"] == "raises":
        return came.refused
    if case["kind"] == "value":
        return compare(came.value, from_json(case["expected"]), tolerance, case["name"])
    if case["kind"] == "parameters":
        lacks = differences(came.shapes or {}, case["expected"])
        start = {name: from_json(each) for name, each in case["start"].items()}
        problem = Problem(lacks) if lacks else compare_start(came.value, start, tolerance)
        return problem.of(case["called"].removesuffix(".state_dict")) if problem else None
    if came.changed:
        return Problem(f"{came.said} changed its input {came.changed[0]} in place.", "input")
    problem = compare_outputs(
        came.value,
        from_json(case["expected"]),
        tolerance,
        names=case["outputs"],
        look_at=case["look_at"],
        exact_zeros=case["exact_zeros"],
    )
    if problem and came.value is None:
        problem = Problem(problem, problem.kind, _returns_none(case))
    for name, one, other in _read(case, came):
        if problem is None:
            problem = compare(one, other, tolerance, name, exact_zeros=case["exact_zeros"])
    if problem is None and came.mode_changed != case.get("mode_changed", came.mode_changed):
        problem = Problem(_ANOTHER_MODE, "mode")
    if problem is None and case["cotangents"] is not None:
        problem = came.lost or _wrong_gradients(came.gradients, case, tolerance)
    return problem.of(came.said) if problem else None


def _read(case: _Case, came: Came) -> Iterator[tuple[str, Any, Any]]:
    """The attributes that are looked at: the name, what came, and what is right."""
    expected = from_json(case["expected_read"])
    for name, one, other in zip(case["read"], came.read, expected, strict=True):
        if name in case["look_at"]:
            yield f"self.{name}", one, other


def pairs(case: _Case, came: Came) -> Iterator[tuple[str, Any, Any]]:
    """All of a call that is looked at: the name, what came, and what is right."""
    outputs, expected = case["outputs"], from_json(case["expected"])
    ours, theirs = ((came.value,), (expected,)) if len(outputs) == 1 else (came.value, expected)
    if isinstance(ours, tuple) and len(ours) == len(outputs):
        for name, one, other in zip(outputs, ours, theirs, strict=True):
            if name in case["look_at"]:
                yield name, one, other
    yield from _read(case, came)
    if case["cotangents"] is not None and came.gradients:
        expected = [from_json(each) for each in case["gradients"]]
        for name, one, other in zip(case["gradients_of"], came.gradients, expected, strict=False):
            yield f"the gradient of {name}", one, other


def _modules_of(case: _Case) -> list[_Case]:
    parts = [*case["args"], *case["kwargs"].values()]
    own = [case["module"]] if case["module"] else []
    return own + [each["module"] for each in parts if _is_module(each)]


def _make(part: _Case, names: Mapping[str, Any]) -> nn.Module:
    """The module of a case, with its weights in it."""
    args = [from_json(each) for each in part["args"]]
    kwargs = {key: from_json(each) for key, each in part["kwargs"].items()}

    def made() -> Any:
        return names[part["name"]](*args, **kwargs)

    module = made()
    said = describe_module(part["name"], args, kwargs, "forward", False)
    if not isinstance(module, nn.Module):
        raise _Told(f"{said} is not an nn.Module.")
    module.to(getattr(torch, part["dtype"]))
    if part["shapes"] is not None:
        theirs = {name: tuple(each.shape) for name, each in module.state_dict().items()}
        asked = {name: each for name, each in theirs.items() if name in part["shapes"]}
        problem = differences(asked, part["shapes"])
        if problem:
            what = "parameters are not those that it must have"
            cause = Cause((part["name"], *theirs), f"{part['name']}: its {what}")
            raise _Told(f"{said}: its {what}: {problem}", cause, theirs)
        changes = {name: from_json(each) for name, each in part["changes"].items()}
        weights = drawn_weights(part["shapes"], part["seed"]) | changes
        lost = load(module, weights, made)
        if lost:
            raise _Told(
                f"{said}: {lost} does not keep the values that are loaded into it: do two "
                "names stand for one parameter?"
            )
    return module.train(part["train"])


def _returns_none(case: _Case) -> Cause:
    module = case["module"]
    said = f"{case['name']}.{module['method']}" if module else case["name"]
    return Cause(f"{said} returns None", f"{said} returns None")


def _wrong_error(case: _Case, said: str, error: Exception, found: Problem) -> Problem | None:
    expected = case["expected"]
    if not isinstance(error, getattr(builtins, expected)):
        return Problem(f"{found}\n    expected a {expected}", cause=found.cause)
    lost = " and ".join(str(each) for each in case["naming"] if str(each) not in str(error))
    return Problem(f"{said}: the message of its {expected} lacks {lost}: {error}") if lost else None


def _gradients(got: Any, inputs: list[Any], case: _Case) -> Sequence[Any] | None:
    cotangents = [from_json(each) for each in case["cotangents"]]
    outputs = got if isinstance(got, tuple) else (got,)
    pairs = zip(outputs, cotangents, strict=False)
    total = sum((output * each).sum() for output, each in pairs if each is not None)
    wanted = [each for each in inputs if each.requires_grad]
    if not wanted or not isinstance(total, torch.Tensor) or not total.requires_grad:
        return None
    found = torch.autograd.grad(total, wanted, allow_unused=True, materialize_grads=True)
    each_found = iter(found)
    return [next(each_found) if each.requires_grad else None for each in inputs]


def _wrong_gradients(found: Sequence[Any] | None, case: _Case, tolerance: float) -> Problem | None:
    if found is None or any(each is None for each in found):
        return NO_GRADIENT
    expected = [from_json(each) for each in case["gradients"]]
    for name, one, other in zip(case["gradients_of"], found, expected, strict=False):
        where = f"the gradient of {name}"
        problem = compare(one, other, tolerance, where, exact_zeros=case["exact_zeros"])
        if problem:
            return problem.of_gradient
    return None


def _has_data(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.device.type != "meta"


def _wants_gradient(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.requires_grad


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
