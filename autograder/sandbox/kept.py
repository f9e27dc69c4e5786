"""A question that is asked many times, each time of other code: what need not be made anew.

Making a module takes longer than most calls of it. One whose class has stayed what it was serves
again, as long as no call has left it otherwise than it was made.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from autograder.sandbox.modules import Blueprint, modes

_equal = torch.equal  # as it is before a student's code may replace it


class Overdue(BaseException):
    """What was tried took more of the processor's time than it may."""


@dataclass(frozen=True)
class _Made:
    of: Any  # its class, as the name stood for it then
    module: nn.Module
    parts: list[nn.Module]
    modes: list[bool]
    tensors: list[Tensor]
    copies: list[Tensor]

    def is_as_it_was(self) -> bool:
        """Whether no call has left another mode, or other numbers."""
        modes = [each.training for each in self.parts]
        return modes == self.modes and all(map(_equal, self.tensors, self.copies))


class Kept:
    """The modules that were made for one question."""

    def __init__(self) -> None:
        self._made: dict[Blueprint, _Made] = {}

    def module(self, blueprint: Blueprint, names: Mapping[str, Any]) -> nn.Module:
        """One as the blueprint says. Raises what `Blueprint.make` raises."""
        made, of = self._made.get(blueprint), names[blueprint.name]
        if made and made.of is of and made.is_as_it_was():
            return made.module
        module = blueprint.make(names)
        tensors = [*module.parameters(), *module.buffers()]
        copies = [each.detach().clone() for each in tensors]
        self._made[blueprint] = _Made(
            of, module, [*module.modules()], modes(module), tensors, copies
        )
        return module
