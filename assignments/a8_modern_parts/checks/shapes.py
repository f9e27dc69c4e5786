"""The road of shapes through your modules: `with trace(): model(x)` prints it.

A line for each module that is called, below and to the right of the one that calls it: its name
there, its class, the shapes that go in and the shape that comes out.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

__all__ = ["trace"]

_MOST_LINES = 300


@dataclass
class _Step:
    depth: int
    module: nn.Module
    name: str
    inputs: str
    output: str = ""


@contextmanager
def trace() -> Iterator[None]:
    """Print what goes into each module that is called inside `with trace():`, and what comes out.

    Where a module raises, the road ends there, and the exception goes on as it was. Nothing is
    changed: not what modules compute, nor the modules themselves.
    """
    steps: list[_Step] = []
    road: list[_Step] = []  # from the outermost call down to the current one
    plain = nn.Module.__call__

    def call(module: nn.Module, *args: Any, **kwargs: Any) -> Any:
        name = _name_in(road[-1].module, module) if road else ""
        named = [f"{key} {_shapes(each)}" for key, each in kwargs.items()]
        step = _Step(len(road), module, name, ", ".join([*map(_shapes, args), *named]))
        steps.append(step)
        road.append(step)
        try:
            output = plain(module, *args, **kwargs)
            step.output = _shapes(output)
        except BaseException as error:
            told = any(each.output.startswith("✗") for each in steps)
            step.output = "✗" if told else f"✗ {type(error).__name__}"
            raise
        finally:
            road.pop()
        return output

    nn.Module.__call__ = call  # type: ignore[method-assign] # until the end of this block
    try:
        yield
    finally:
        nn.Module.__call__ = plain  # type: ignore[method-assign]
        print("\n".join(_lines(steps)))


def _lines(steps: list[_Step]) -> Iterator[str]:
    if not steps:
        yield "trace: no module was called."
    labels = []
    for step in steps[:_MOST_LINES]:
        kind = type(step.module).__name__
        labels.append("  " * step.depth + (f"{step.name}: {kind}" if step.name else kind))
    width = max(map(len, labels), default=0)
    for label, step in zip(labels, steps, strict=False):
        yield f"{label:{width}}  {step.inputs} → {step.output}"
    if len(steps) > _MOST_LINES:
        yield f"and {len(steps) - _MOST_LINES} more lines"


def _name_in(parent: nn.Module, module: nn.Module) -> str:
    """What a module is called in the one that calls it, such as layers.0."""
    return next((name for name, each in parent.named_modules() if each is module), "")


def _shapes(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        kind = "" if value.is_floating_point() else f"{str(value.dtype).removeprefix('torch.')} "
        return f"{kind}{tuple(value.shape)}"
    if isinstance(value, (tuple, list)):
        return f"({', '.join(map(_shapes, value))})"
    return repr(value) if value is None or isinstance(value, (bool, int, float)) else "…"
