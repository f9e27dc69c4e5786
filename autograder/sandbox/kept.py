"""A question that is asked many times, each time of other code: what need not be made anew.

Making a module takes longer than most calls of it. One whose constructor has stayed what it was
serves again, as long as no call has left it otherwise than it was made; its class may be another
by then. What a call leaves elsewhere is not seen: whatever is told is asked once more, alone.
"""

from collections.abc import Iterator, Mapping, Set
from types import CodeType
from typing import Any

from torch import nn

from autograder.sandbox.made import Made, Modules
from autograder.sandbox.modules import Blueprint

_OPTIMIZED = 1  # a flag of functions' code; that of a class or a cell has it not


class Overdue(BaseException):
    """What was tried took more of the processor's time than it may."""


class Kept(Modules):
    """The modules that were made for one question."""

    def __init__(self) -> None:
        super().__init__()
        # With its class, as the name stood for it then, and with what made it.
        self._made: dict[Blueprint, tuple[Any, CodeType | None, Made]] = {}
        self._by: CodeType | None = None

    def made_by(self, cell: CodeType) -> None:
        """What a cell defines is made by this from now on."""
        self._by = _without_calls(cell)

    def module(self, blueprint: Blueprint, names: Mapping[str, Any]) -> nn.Module:
        """One as the blueprint says. Raises what `Blueprint.make` raises."""
        of = names[blueprint.name]
        before, by, made = self._made.get(blueprint, (None, None, None))
        if made and (before is of or by == self._by) and made.is_as_it_was:
            return made.again(names)
        module = blueprint.make(names)
        self._made[blueprint] = of, self._by, Made(module)
        return module

    def forget(self) -> None:
        """Make all of them anew."""
        self._made.clear()


def _without_calls(cell: CodeType) -> CodeType:
    """Of a cell's code what makes a module: all but the functions that no constructor names."""
    return _with(cell, named_by_constructors(cell))


def named_by_constructors(cell: CodeType) -> Set[str]:
    """All names in the constructors of a cell's code, and in the functions of these names."""
    functions = [each for each in _inside(cell) if each.co_flags & _OPTIMIZED]
    found = {each.co_name for each in functions if each.co_name.startswith("__")}
    while True:
        by = (inner for each in functions if each.co_name in found for inner in _within(each))
        more = {name for each in by for name in each.co_names}
        if more <= found:
            return found
        found |= more


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
