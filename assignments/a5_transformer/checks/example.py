"""The smallest of the recorded examples on which the notebook is wrong, to work out by hand."""

import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import torch

from .compare import compare
from .recorded import ask, from_json, pairs, problem_of
from .written import DIGITS, typed, written


def example_of(
    item: Mapping[str, Any], names: Mapping[str, Any], tolerance: float, raised: bool
) -> list[str]:
    """The first of an item's examples, smallest first, that comes out wrong in its numbers.

    raised: whether the case that is told of raised something, which this one does not.
    """
    which = "The smallest example" + (", where nothing is raised" if raised else "")
    for case in item.get("examples", ()):
        with warnings.catch_warnings(action="ignore"):  # of sizes that only such an example has
            came = ask(case, names)
        if problem_of(case, came, tolerance) and not came.refused:
            for name, got, right in pairs(case, came):
                if _differ(got, right, tolerance):
                    said = f"{name}: expected {{}}, got {{}}"
                    return [f"{which}: {_call(case)}\n{_shown(said, right, got)}"]
    return []


def _differ(got: Any, right: Any, tolerance: float) -> bool:
    """Whether it is by their numbers that they differ."""
    problem = compare(got, right, tolerance, "")
    return problem is not None and problem.kind in ("values", "infinite")


def _shown(said: str, right: torch.Tensor, got: torch.Tensor) -> str:
    for digits in DIGITS:
        if written(right, digits) != written(got, digits):
            break
    return said.format(written(right, digits), written(got, digits))


def _call(case: Mapping[str, Any]) -> str:
    return f"{case['called']}({', '.join(_passed(case))}){case['weights']}"


def _passed(case: Mapping[str, Any]) -> Iterator[str]:
    given = [from_json(each) for each in case["args"]]
    named = [*(f"{each}=" for each in case["parameters"]), *[""] * len(given)]
    yield from (f"{name}{typed(each)}" for name, each in zip(named, given, strict=False))
    for name, each in case["kwargs"].items():
        yield f"{name}={typed(from_json(each))}"
