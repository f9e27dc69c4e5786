"""A recorded case: made from cases.json again, and put to the notebook's own code."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import nn

from .compare import (
    NO_GRADIENT,
    called_names,
    compare,
    compare_outputs,
    describe_call,
    describe_module,
    differences,
)
from .problem import Cause, Problem
from .raised import raised, stub_of
from .weights import drawn_weights

_Case = dict[str, Any]


class _Told(Exception):
    """What is wrong before anything is compared, as the student is to read it."""

    def __init__(self, said: str, cause: Cause | None = None) -> None:
        super().__init__(said)
        self.cause = cause


def problem_of(case: _Case, names: Mapping[str, Any], tolerance: float) -> Problem | None:
    """What is wrong with the notebook's answer to one case, in a sentence, or None."""
    name = case["name"]
    missing = next((each for each in (name, *_classes(case)) if each not in names), None)
    if missing is not None:
        said = f"{missing} is not defined"
        cause = Cause(said, said)
        return Problem(f"{said}: run the cell that defines it first.", "error", cause)
    if case["kind"] == "value":
        return compare(names[name], from_json(case["expected"]), tolerance, name)
    try:
        return _problem_of_call(case, names, tolerance)
    except _Told as told:
        return Problem(str(told), "error", told.cause)


def _classes(case: _Case) -> list[str]:
    parts = [*case.get("args", ()), *case.get("kwargs", {}).values()]
    return [each["module"]["name"] for each in parts if _is_module(each)]


def _is_module(value: Any) -> bool:
    return isinstance(value, dict) and "module" in value


def _problem_of_call(case: _Case, names: Mapping[str, Any], tolerance: float) -> Problem | None:
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
        if stub := stub_of(error):
            return Problem(f"{stub}: write your code where it says so.", "error", Cause(stub, stub))
        found = raised(said, error, names)
        return _wrong_error(case, said, error, found) if case["kind"] == "raises" else found
    if case["kind"] == "raises":
        return Problem(f"{said} raised nothing; expected a {case['expected']}")
    if case["kind"] == "parameters":
        return _wrong_parameters(case, got)
    every = called_names(case["parameters"], options)
    for old, new, parameter in zip(before, args, every, strict=False):
        if old is not None and not torch.equal(old, new):
            return Problem(f"{said} changed its input {parameter} in place.", "input")
    problem = compare_outputs(
        got,
        from_json(case["expected"]),
        tolerance,
        names=case["outputs"],
        look_at=case["look_at"],
        exact_zeros=case["exact_zeros"],
    )
    if problem and got is None:
        problem = Problem(problem, problem.kind, _returns_none(case))
    for name, one, other in zip(case["read"], read, from_json(case["expected_read"]), strict=True):
        if problem is None and name in case["look_at"]:
            problem = compare(
                one, other, tolerance, f"self.{name}", exact_zeros=case["exact_zeros"]
            )
    if problem is None and case["cotangents"] is not None:
        weights = [
            module.get_parameter(each)
            for module, part in zip(modules, _modules_of(case), strict=True)
            for each in part["shapes"] or ()
        ]
        try:
            inputs = [each for each in args if _wants_gradient(each)]
            problem = _compare_gradients(got, [*inputs, *weights], case, tolerance)
        except Exception as error:
            problem = Problem(
                f"its gradients: torch raised {type(error).__name__}: {error}", "error"
            )
    return problem.of(said) if problem else None


def _modules_of(case: _Case) -> list[_Case]:
    parts = [*case["args"], *case["kwargs"].values()]
    own = [case["module"]] if case["module"] else []
    return own + [each["module"] for each in parts if _is_module(each)]


def _make(part: _Case, names: Mapping[str, Any]) -> nn.Module:
    """The module of a case, with its weights in it."""
    args = [from_json(each) for each in part["args"]]
    kwargs = {key: from_json(each) for key, each in part["kwargs"].items()}
    module = names[part["name"]](*args, **kwargs)
    said = describe_module(part["name"], args, kwargs, "forward", False)
    if not isinstance(module, nn.Module):
        raise _Told(f"{said} is not an nn.Module.")
    module.to(getattr(torch, part["dtype"]))
    if part["shapes"] is not None:
        theirs = {name: tuple(each.shape) for name, each in module.state_dict().items()}
        problem = differences(theirs, part["shapes"])
        if problem:
            what = "parameters are not those that it must have"
            cause = Cause((part["name"], *theirs), f"{part['name']}: its {what}")
            raise _Told(f"{said}: its {what}: {problem}", cause)
        changes = {name: from_json(each) for name, each in part["changes"].items()}
        weights = drawn_weights(part["shapes"], part["seed"]) | changes
        module.load_state_dict(weights)
        kept = module.state_dict()
        for name, each in weights.items():
            if not torch.equal(kept[name], each.to(kept[name])):
                raise _Told(
                    f"{said}: {name} does not keep the values that are loaded into it: do two "
                    "names stand for one parameter?"
                )
    return module.train(part["train"])


def _wrong_parameters(case: _Case, got: Any) -> Problem | None:
    theirs = {name: tuple(each.shape) for name, each in got.items()}
    problem = differences(theirs, case["expected"])
    return Problem(problem).of(case["called"].removesuffix(".state_dict")) if problem else None


def _returns_none(case: _Case) -> Cause:
    module = case["module"]
    said = f"{case['name']}.{module['method']}" if module else case["name"]
    return Cause(f"{said} returns None", f"{said} returns None")


def _wrong_error(case: _Case, said: str, error: Exception, found: Problem) -> Problem | None:
    came = type(error).__name__
    if came != case["expected"]:
        return Problem(f"{found}\n    expected a {case['expected']}", cause=found.cause)
    lost = " and ".join(str(each) for each in case["naming"] if str(each) not in str(error))
    return Problem(f"{said}: the message of its {came} lacks {lost}: {error}") if lost else None


def _compare_gradients(
    got: Any, inputs: list[Any], case: _Case, tolerance: float
) -> Problem | None:
    cotangents = [from_json(each) for each in case["cotangents"]]
    outputs = got if isinstance(got, tuple) else (got,)
    pairs = zip(outputs, cotangents, strict=False)
    total = sum((output * each).sum() for output, each in pairs if each is not None)
    wanted = [each for each in inputs if each.requires_grad]
    if len(wanted) < len(inputs) or not isinstance(total, torch.Tensor) or not total.requires_grad:
        return NO_GRADIENT
    found = torch.autograd.grad(total, wanted, allow_unused=True, materialize_grads=True)
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
