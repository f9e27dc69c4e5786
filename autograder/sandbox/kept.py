"""A question that is asked many times, each time of other code: what need not be made anew.

Making a module takes longer than most calls of it. One whose class has stayed what it was serves
again, as long as no call has left it otherwise than it was made.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from autograder.sandbox.modules import Blueprint


class Overdue(BaseException):
    """What was tried took more of the processor's time than it may."""


@dataclass(frozen=True)
class _Made:
    blueprint: Blueprint
    of: Any  # its class, as the name stood for it then
    module: nn.Module
    parts: list[nn.Module]
    tensors: list[Tensor]

    def state(self) -> list[int]:
        """What tells that a call has changed it: modes, and how often tensors were written to."""
        return [*(each.training for each in self.parts), *(each._version for each in self.tensors)]


class Kept:
    """The modules that were made for one question."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[_Made, list[int]]] = {}

    def module(self, blueprint: Blueprint, names: Mapping[str, Any]) -> nn.Module:
        """One as the blueprint says. Raises what `Blueprint.make` raises."""
        made, before = self._made.get(id(blueprint), (None, []))
        if made and made.of is names[blueprint.name] and made.state() == before:
            return made.module
        module = blueprint.make(names)
        tensors = [*module.parameters(), *module.buffers()]
        made = _Made(blueprint, names[blueprint.name], module, [*module.modules()], tensors)
        self._made[id(blueprint)] = made, made.state()
        return module
