"""A question that is asked many times, each time of other code: what need not be made anew.

Making a module takes longer than most calls of it. One whose constructor has stayed what it was
serves again, as long as no call has left it otherwise than it was made; its class may be another
by then. What a call leaves elsewhere is not seen: whatever is told is asked once more, alone.
"""

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from types import CodeType
from typing import Any

import torch
from torch import Tensor, nn

from autograder.sandbox.modules import Blueprint, modes

_equal = torch.equal  # as it is before a student's code may replace it
_OPTIMIZED = 1  # a flag of functions' code; that of a class or a cell has it not


class Overdue(BaseException):
    """What was tried took more of the processor's time than it may."""


@dataclass(frozen=True)
class _Made:
    of: Any  # its class, as the name stood for it then
    by: CodeType | None  # see `_without_calls`
    module: nn.Module
    parts: list[nn.Module]
    modes: list[bool]
    tensors: list[Tensor]
    copies: list[Tensor]

    def is_as_it_was(self) -> bool:
        """Whether no call has left another mode, or other numbers."""
        modes = [each.training for each in self.parts]
        return modes == self.modes and all(map(_equal, self.tensors, self.copies))

    def now(self, names: Mapping[str, Any]) -> nn.Module:
        """It, with the methods that its classes have by now."""
        for each in self.parts:
            before = type(each)
            now = names.get(before.__name__)
            if now is not before and isinstance(now, type) and now.__module__ == before.__module__:
                object.__setattr__(each, "__class__", now)
        return self.module


class Kept:
    """The modules that were made for one question."""

    def __init__(self) -> None:
        self._made: dict[Blueprint, _Made] = {}
        self._by: CodeType | None = None

    def made_by(self, cell: CodeType) -> None:
        """What a cell defines is made by this from now on."""
        self._by = _without_calls(cell)

    def module(self, blueprint: Blueprint, names: Mapping[str, Any]) -> nn.Module:
        """One as the blueprint says. Raises what `Blueprint.make` raises."""
        made, of = self._made.get(blueprint), names[blueprint.name]
        if made and (made.of is of or made.by == self._by) and made.is_as_it_was():
            return made.now(names)
        module = blueprint.make(names)
        tensors = [*module.parameters(), *module.buffers()]
        copies = [each.detach().clone() for each in tensors]
        self._made[blueprint] = _Made(
            of, self._by, module, [*module.modules()], modes(module), tensors, copies
        )
        return module


def _without_calls(cell: CodeType) -> CodeType:
    """Of a cell's code what makes a module: all but the functions that no constructor names."""
    functions = [each for each in _inside(cell) if each.co_flags & _OPTIMIZED]
    making = {each.co_name for each in functions if each.co_name.startswith("__")}
    while True:
        by = (inner for each in functions if each.co_name in making for inner in _within(each))
        named = {name for each in by for name in each.co_names}
        more = {each.co_name for each in functions if each.co_name in named}
        if more <= making:
            return _with(cell, making)
        making |= more


def _within(code: CodeType) -> Iterator[CodeType]:
    yield code
    yield from _inside(code)


def _inside(code: CodeType) -> Iterator[CodeType]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _within(each)


def _with(code: CodeType, making: Set[str]) -> CodeType:
    """Code with no other functions in it than these."""

    def kept(each: Any) -> Any:
        if not isinstance(each, CodeType):
            return each
        if each.co_flags & _OPTIMIZED:
            return each if each.co_name in making else None
        return _with(each, making)

    return code.replace(co_consts=tuple(map(kept, code.co_consts)))
