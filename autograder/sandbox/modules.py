"""Modules of a notebook: made for a question, loaded by name, and looked at afterwards."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

_DRAWING = ("kaiming_uniform_", "uniform_", "normal_")  # what nn.Linear and nn.Embedding call


class WrongParameters(Exception):
    """The parameters of the module `name` are not those that are to be loaded."""

    def __init__(self, name: str, shapes: dict[str, tuple[int, ...]]) -> None:
        super().__init__(name)
        self.shapes = shapes  # those that it has


@dataclass(frozen=True, eq=False)
class Blueprint:
    """How a module is made: its class, arguments and weights, and which method is asked.

    weights: loaded by name; None leaves the module as its constructor made it. So is what it has
    besides, but for what is drawn, which is zero: it costs what is asked of it by name alone.
    """

    name: str
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] | None = None
    weights: Mapping[str, Tensor] | None = None
    method: str = "forward"
    train: bool = False
    dtype: torch.dtype = torch.float64

    def __str__(self) -> str:
        return self.name

    def of(self, method: str) -> "Blueprint":
        """The same module, asked for another method."""
        return replace(self, method=method)

    def training(self) -> "Blueprint":
        """The same in train mode."""
        return replace(self, train=True)

    def in_float32(self) -> "Blueprint":
        """The same with float32 parameters."""
        return replace(self, dtype=torch.float32)

    def with_weights(self, changes: Mapping[str, Tensor]) -> "Blueprint":
        """The same with some of its weights replaced."""
        return replace(self, weights={**(self.weights or {}), **changes})

    def without_loading(self) -> "Blueprint":
        """The same as its constructor leaves it."""
        return replace(self, weights=None)

    def make(self, names: Mapping[str, Any]) -> nn.Module:
        """Make it from the names of a notebook. Raises WrongParameters and what its code raises."""
        with _undrawn() if self.weights is not None else contextlib.nullcontext():
            module = self._made(names)
        has_more = self.weights is not None and self._has_more(module)
        if has_more:
            module = _without_chance(self._made(names), self._made(names))
        module.to(self.dtype)
        if self.weights is not None:
            left = module.state_dict() if has_more else {}
            module.load_state_dict({**left, **self.weights})
        return module.train(self.train)

    def _made(self, names: Mapping[str, Any]) -> nn.Module:
        module = names[self.name](*self.args, **(self.kwargs or {}))
        if not isinstance(module, nn.Module):
            raise TypeError(f"{self.name}(...) is no nn.Module")
        return module

    def _has_more(self, module: nn.Module) -> bool:
        """Whether it has parameters besides. Raises WrongParameters where it lacks any."""
        shapes, asked = _shapes(module.state_dict()), _shapes(self.weights or {})
        if any(shapes.get(name) != each for name, each in asked.items()):
            raise WrongParameters(self.name, shapes)
        return shapes.keys() != asked.keys()


@contextlib.contextmanager
def _undrawn() -> Iterator[None]:
    """Leave torch's layers as they are allocated: what they would draw is about to be replaced."""
    before = {name: getattr(nn.init, name) for name in _DRAWING}
    for name in _DRAWING:
        setattr(nn.init, name, lambda tensor, *_, **__: tensor)
    try:
        yield
    finally:
        for name, function in before.items():
            setattr(nn.init, name, function)


def _without_chance(module: nn.Module, again: nn.Module) -> nn.Module:
    """A module in which what is drawn, and so is otherwise in one made `again`, is zero."""
    with torch.no_grad():
        for each, other in zip(module.parameters(), again.parameters(), strict=False):
            if not torch.equal(each, other):
                each.zero_()
    return module


def _shapes(weights: Mapping[str, Tensor]) -> dict[str, tuple[int, ...]]:
    return {name: tuple(each.shape) for name, each in weights.items()}


# As they are before a student's code may replace them.
_hook, _submodule = nn.Module.register_forward_hook, nn.Module.get_submodule


@dataclass(frozen=True)
class Watched:
    """What was seen of one submodule while a question was answered."""

    calls: int
    kept_gradient: bool  # of an output of any call
    trained: bool  # it was in train mode in any call


class Watcher:
    """Counts the calls of a module's submodules."""

    def __init__(self, module: nn.Module, paths: Sequence[str]) -> None:
        self._seen: dict[str, list[tuple[bool, bool]]] = {path: [] for path in paths}
        for path in paths:
            _hook(_submodule(module, path), self._hook(path))

    def _hook(self, path: str) -> Any:
        def seen(module: nn.Module, _: Any, output: Any) -> None:
            kept = isinstance(output, Tensor) and output.requires_grad
            self._seen[path].append((kept, module.training))

        return seen

    def found(self) -> tuple[Watched, ...]:
        """One for each path, in their order."""
        return tuple(
            Watched(len(seen), any(kept for kept, _ in seen), any(mode for _, mode in seen))
            for seen in self._seen.values()
        )


def modes(module: nn.Module) -> list[bool]:
    """Train (True) or eval (False) of a module and all that is in it."""
    return [each.training for each in module.modules()]
