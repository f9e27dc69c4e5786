"""Modules that are made once for many questions: making one takes longer than most calls of it.

One serves again when no call can have left it otherwise than it was made: what it holds is put
back, its numbers are compared, and a module that holds what may change unseen is made anew each
time. What a call leaves elsewhere in the process it leaves for a new module, too.
"""

from collections import OrderedDict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import torch
from torch import nn

from autograder.sandbox.modules import Blueprint, WrongParameters

_MOST = 64
_MOST_NUMBERS = 1 << 15  # of a module: what is larger takes long to compare, and much to keep
_equal = torch.equal  # as it is before a student's code may replace it
_TORCHS_OWN = frozenset(vars(nn.Module()))  # attributes that each module has
_CANNOT_CHANGE = (
    *(bool, int, float, complex, str, bytes, range, type(None)),
    *(torch.dtype, torch.device, torch.Size),
)
_TENSORS = torch.Tensor, nn.Parameter


class Made:
    """A module, with what it was like before anybody called it."""

    def __init__(self, module: nn.Module) -> None:
        self._module = module
        self._parts = [*module.modules()]
        own = [value for part in self._parts for value in _own(part)]
        self._attributes = [(each, each.copy()) for part in self._parts for each in _held_by(part)]
        self._tensors = [*_tensors_in([*own, *(_numbers_of(part) for part in self._parts)])]
        small = sum(each.numel() for each in self._tensors) <= _MOST_NUMBERS
        self.can_serve_again = small and all(map(_cannot_change, [*own, *self._tensors]))
        tensors = self._tensors if self.can_serve_again else []
        self._copies = [(each.detach().clone(), each.requires_grad) for each in tensors]

    @property
    def is_as_it_was(self) -> bool:
        """Whether no call has left other numbers, or more on a tensor than these."""
        return self.can_serve_again and all(map(_is_still, self._tensors, self._copies))

    def again(self, names: Mapping[str, Any]) -> nn.Module:
        """It, as it was made. names: classes whose methods it has by now, in the place of its own
        classes of these names.
        """
        for held, before in self._attributes:
            if held or before:  # most are hooks, of which there are none
                held.clear()
                held.update(before)
        for each in self._parts:
            was = type(each)
            now = names.get(was.__name__)
            if now is not was and isinstance(now, type) and now.__module__ == was.__module__:
                object.__setattr__(each, "__class__", now)
        return self._module


class Modules:
    """Those of one notebook.

    They are told apart by their classes and all that they are made with; `made_with` says it
    otherwise: what else may make them differ.
    """

    def __init__(self) -> None:
        # The weights are kept, too: no others may come to lie where they lay.
        self._those: OrderedDict[Hashable, tuple[Made | WrongParameters, Any]] = OrderedDict()
        self._makers: Hashable = None

    def made_with(self, makers: Hashable) -> None:
        """With which constructors they are made from now on, whatever class a name stands for."""
        self._makers = makers

    def module(self, blueprint: Blueprint, names: Mapping[str, Any]) -> nn.Module:
        """One as the blueprint says. Raises what `Blueprint.make` raises."""
        args = [*enumerate(blueprint.args), *(blueprint.kwargs or {}).items()]
        passed = tuple((name, type(each), each) for name, each in args)  # 1 is no 1.0
        how = blueprint.train, blueprint.dtype, id(blueprint.weights)
        makers = names[blueprint.name] if self._makers is None else self._makers
        key = makers, blueprint.name, passed, how
        try:
            made, _ = self._those.pop(key, (None, None))
        except TypeError:  # as of a list: by that nothing can be looked up
            return blueprint.make(names)
        if not made or (isinstance(made, Made) and not made.is_as_it_was):
            made = _made(blueprint, names)
        if isinstance(made, WrongParameters) or made.can_serve_again:
            self._those[key] = made, blueprint.weights
        if len(self._those) > _MOST:
            self._those.popitem(last=False)
        if isinstance(made, WrongParameters):
            raise made.with_traceback(None)
        return made.again({} if self._makers is None else names)

    def forget(self) -> None:
        """Make all of them anew."""
        self._those.clear()


def _made(blueprint: Blueprint, names: Mapping[str, Any]) -> Made | WrongParameters:
    try:
        return Made(blueprint.make(names))
    except WrongParameters as error:
        return error


def _held_by(part: nn.Module) -> Iterator[Any]:
    """Its attributes, and what torch holds for it by name: tensors, modules, hooks."""
    own = vars(part)
    yield own
    yield from (own[name] for name in _TORCHS_OWN if isinstance(own.get(name), (dict, set)))


def _own(part: nn.Module) -> Iterator[Any]:
    """What it holds besides."""
    own = vars(part)
    yield from (own[each] for each in own if each not in _TORCHS_OWN)


def _cannot_change(value: Any) -> bool:
    """Whether a value stays what it is, or is looked at: a tensor's numbers are compared."""
    if type(value) is tuple:
        return all(map(_cannot_change, value))
    if type(value) is FunctionType:
        defaults = value.__defaults__ or (), value.__kwdefaults__
        return value.__closure__ is None and not vars(value) and _cannot_change(defaults)
    if type(value) is BuiltinFunctionType:
        return isinstance(value.__self__, (ModuleType, type, type(None)))
    if type(value) in _TENSORS:
        return bool(value.device.type == "cpu" and value.layout == torch.strided)
    return isinstance(value, type) or type(value) in _CANNOT_CHANGE


def _numbers_of(part: nn.Module) -> tuple[Any, ...]:
    """Its parameters and buffers."""
    own = vars(part)
    return *own["_parameters"].values(), *own["_buffers"].values()


def _tensors_in(values: Iterable[Any]) -> Iterator[torch.Tensor]:
    for each in values:
        if type(each) is tuple:
            yield from _tensors_in(each)
        elif isinstance(each, torch.Tensor):
            yield each


def _is_still(tensor: torch.Tensor, was: tuple[torch.Tensor, bool]) -> bool:
    copy, wanted = was
    return (
        tensor.requires_grad == wanted
        and tensor.grad is None
        and not tensor._backward_hooks
        and (tensor.dtype, tensor.device) == (copy.dtype, copy.device)
        and _equal(tensor, copy)
    )
