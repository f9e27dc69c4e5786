"""One submission being run: its cells' names, and the answers to calls of them.

The session lives in a fork inside the walls. The reference is run by the very same class, in
the grader's own process: a check cannot tell the two apart.
"""

import builtins
import contextlib
import dataclasses
import linecache
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from autograder.sandbox.elsewhere import OTHER, AnotherDevice, device_for
from autograder.sandbox.failure import Failure, describe_failure
from autograder.sandbox.gradients import gradients_of, outputs, wants_gradient
from autograder.sandbox.how import How
from autograder.sandbox.made import Modules
from autograder.sandbox.meanwhile import other_weights
from autograder.sandbox.modules import Blueprint, Watched, Watcher, WrongParameters, modes
from autograder.sandbox.refusal import Refusal
from autograder.sandbox.work import Counter, Work

EARLIER = -1  # among the positions of what a call wrote to: what an earlier call gave
_COMPARED = {torch.float64, torch.float32, torch.float16, torch.int64, torch.int32, torch.bool}
_MOST_COMPARED = 1 << 26  # numbers: an expanded tensor may have any number of them
_PLAIN = How()  # it cannot be changed
_equal, _no_grad = torch.equal, torch.no_grad  # as before a student's code may replace them


@dataclass(frozen=True)
class Answer:
    """What one call gave. Gradients are of the tensors that asked for one, in their order, and
    then of the module's weights in theirs."""

    value: Any
    gradients: tuple[torch.Tensor | None, ...] = ()
    changed: tuple[int, ...] = ()  # positions of arguments that the call wrote to, and EARLIER
    banned: tuple[str, ...] = ()
    elsewhere: tuple[bool, ...] = ()  # of each output, when that was asked: is it there?
    read: tuple[Any, ...] = ()
    watched: tuple[Watched, ...] = ()
    mode_changed: bool = False  # a module was left in another mode than it came in
    operations: int = 0  # calls of torch, when they were counted
    multiplications: int = 0  # when they were counted
    failure: Failure | None = None


class Session:
    """The namespace of a notebook and what may be asked of it.

    banned: dotted names of torch calls to report when a call makes them; banned_in: more of
    them, for the calls of one function or class each.
    """

    def __init__(
        self,
        banned: Sequence[str] = (),
        banned_in: Mapping[str, Sequence[str]] | None = None,
        *,
        main: bool = False,
    ) -> None:
        self._banned = tuple(banned)  # in this order: of names that fit alike the first is told
        self._banned_in = dict(banned_in or {})
        self.refusal = Refusal()
        self.codes: dict[str, types.CodeType] = {}  # of each cell that was run last
        self._module = types.ModuleType("__main__" if main else "notebook")
        if main:
            sys.modules["__main__"] = self._module

    @property
    def names(self) -> dict[str, Any]:
        """The notebook's namespace as it is now."""
        return dict(self._module.__dict__)

    def module(self, name: str, source: str) -> None:
        """Make `source` importable as `name`, and its `builtins` mapping visible everywhere.

        It is ours: what is banned for a student is allowed to it.
        """
        module = types.ModuleType(name)
        code = compile(source, f"<{name}>", "exec")
        self.refusal.exempt(code)
        exec(code, module.__dict__)
        sys.modules[name] = module
        for key, value in getattr(module, "BUILTINS", {}).items():
            setattr(builtins, key, value)

    def cell(self, name: str, source: str) -> Failure | None:
        """Run one cell; an exception ends the cell, not the session."""
        filename = f"<cell {name}>"
        linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
        try:
            code = compile(source, filename, "exec")
        except (MemoryError, RecursionError):  # as the compiler says it of deep nesting
            return Failure("SyntaxError", "its expressions are nested too deeply", name)
        except BaseException as error:
            return describe_failure(error)
        self.codes[name] = code
        try:
            exec(code, self._module.__dict__)
        except BaseException as error:  # SystemExit is a student's mistake like any other
            return describe_failure(error)
        return None

    def define(self, name: str, value: Any) -> None:
        """Let a name of the notebook stand for a value."""
        self._module.__dict__[name] = value

    def get(self, name: str) -> Answer:
        """The value of a name; a failure of type `Missing` when there is none."""
        try:
            return Answer(self._module.__dict__[name])
        except KeyError:
            return Answer(None, failure=Failure("Missing", name))

    def call(
        self,
        target: str | Blueprint,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        how: How = _PLAIN,
        kept: Modules | None = None,
    ) -> Answer:
        """Call a function of the notebook, or a method of a module that is made for the call.

        Arguments may be blueprints too: the function gets the modules. kept: those that were made
        before, and may serve again.
        """
        name = target if isinstance(target, str) else target.name
        for each in (target, *args, *kwargs.values()):
            missing = each.name if isinstance(each, Blueprint) else name
            if missing not in self._module.__dict__:
                return Answer(None, failure=Failure("Missing", missing))
        torch.default_generator.manual_seed(0)  # no answer depends on what was asked before
        # Only now: comparing one's own result with torch's in a cell is no offence.
        self.refusal.install(self._banned)
        try:
            with self.refusal.also(self._banned_in.get(name, ())):
                call = _Call(self._module.__dict__, target, args, kwargs, how, kept)
                torch.default_generator.manual_seed(0)  # nor on what a constructor drew
                answer = call.answer(how)
        except WrongParameters as error:
            return Answer(error.shapes, failure=Failure("WrongParameters", str(error)))
        except BaseException as error:
            answer = Answer(None, failure=describe_failure(error))
        banned = self.refusal.take()
        if banned and kept:  # a constructor may have made the call
            kept.forget()
        return dataclasses.replace(answer, banned=banned) if banned else answer


class _Call:
    """One call: what is made for it, and what is looked at around it."""

    def __init__(
        self,
        names: Mapping[str, Any],
        target: str | Blueprint,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        how: How,
        kept: Modules | None,
    ) -> None:
        self._modules: list[torch.nn.Module] = []
        self._weights: list[torch.nn.Parameter] = []
        self._device = device_for(kwargs) if how.elsewhere else None

        # Where a module has been leaves its traces, and so does who watches.
        kept = None if how.elsewhere or how.watch or how.before_loading else kept

        def made(value: Any, kept: Modules | None) -> Any:
            if not isinstance(value, Blueprint):
                return value
            module = kept.module(value, names) if kept else value.make(names)
            if any(each is module for each in self._modules):  # of two that are alike
                module = value.make(names)
            self._modules.append(module)
            if how.cotangents is not None:
                self._weights += [module.get_parameter(each) for each in value.weights or ()]
            if self._device and not how.before_loading:
                self._move(module)
            return module

        if isinstance(target, str):
            self._function = self._first = names[target]
        else:
            module, method = made(target, kept), target.method
            self._function = module if method == "forward" else getattr(module, method)
            first = how.before_method or ("forward" if hasattr(torch.nn.Module, method) else method)
            self._first = module if first == "forward" else getattr(module, first)
        self._inputs = [*args, *kwargs.values()]
        given = {id(each): _passed(each, self._device) for each in self._inputs}
        self._given = [made(given[id(each)], kept) for each in self._inputs]
        self._before = [each.detach().clone() if _has_data(each) else None for each in self._given]
        self._positional = self._given[: len(args)]
        self._named = dict(zip(kwargs, self._given[len(args) :], strict=True))
        self._left: tuple[list[torch.Tensor], list[torch.Tensor]] = [], []  # by it: then, and now
        self._earlier = {name: _passed(each, self._device) for name, each in how.before.items()}

    def answer(self, how: How) -> Answer:
        """Make the call."""
        modes_before = [modes(each) for each in self._modules]
        counter, work = Counter(), Work()
        nothing = contextlib.nullcontext()
        gradients_kept = _no_grad if how.without_grad else contextlib.nullcontext
        if how.before:
            others = other_weights(self._modules) if how.before_loading else self._device
            with others or nothing, gradients_kept():
                self._call_before(how)
            for each in self._modules if self._device and how.before_loading else ():
                self._move(each)
            if not how.drawn_on:
                torch.default_generator.manual_seed(0)
            for at in self._written():  # what that wrote to them is not there for the call
                self._given[at].detach().copy_(self._before[at])
        watcher = Watcher(self._modules[0], how.watch) if how.watch else None
        with (
            self._device or nothing,
            counter if how.count else nothing,
            work if how.work else nothing,
            gradients_kept(),
        ):
            value = self._function(*self._positional, **self._named)
        read = tuple(getattr(self._modules[0], name) for name in how.read)
        gradients: tuple[torch.Tensor | None, ...] = ()
        if how.cotangents is not None:
            inputs = filter(wants_gradient, self._inputs)
            gradients = gradients_of(value, how.cotangents, [*inputs, *self._weights])
        return Answer(
            value,
            gradients,
            (*self._written(), *([] if all(map(_same, *self._left)) else [EARLIER])),
            elsewhere=tuple(map(self._device.has, outputs(value))) if self._device else (),
            read=read,
            watched=watcher.found() if watcher else (),
            mode_changed=[modes(each) for each in self._modules] != modes_before,
            operations=counter.count,
            multiplications=work.multiplications,
        )

    def _move(self, module: torch.nn.Module) -> None:
        with self._device or contextlib.nullcontext():
            module.to(OTHER)

    def _call_before(self, how: How) -> None:
        places = [*range(len(self._positional)), *self._named]
        given = {} if how.before_method else dict(zip(places, self._given, strict=True))
        if how.in_place:
            for at, each in self._earlier.items():
                given[at].detach().copy_(each)
        else:
            given |= self._earlier
        positional = [given.pop(at) for at in sorted(x for x in given if isinstance(x, int))]
        value = self._first(*positional, **given)
        inputs = {_memory(each) for each in (*self._given, *self._earlier.values())}
        found = [*outputs(value), *(getattr(self._first, name, None) for name in how.read)]
        left = [each.detach() for each in found if _memory(each) not in {None, *inputs}]
        left = [each for each in left if _equal(each, each)]  # no NaN, which is like nothing
        for each in left if how.overwritten else ():
            each.zero_()
        self._left = [each.clone() for each in left], left

    def _written(self) -> Iterator[int]:
        """Which inputs are no longer what they were."""
        for at, (old, new) in enumerate(zip(self._before, self._given, strict=True)):
            if old is not None and not _same(old, new.detach()):
                yield at


def _passed(value: Any, device: AnotherDevice | None) -> Any:
    # torch forbids writing to a leaf that requires a gradient; writing to an input is to be found
    # with our words, not with torch's: so the function gets copies of those.
    value = value.clone() if wants_gradient(value) else value
    return device.taken(value) if device and _has_data(value) else value


def _has_data(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.device.type != "meta"


def _memory(value: Any) -> int | None:
    """Where a tensor's values lie; None where they cannot be compared."""
    compared = _has_data(value) and value.dtype in _COMPARED and value.layout == torch.strided
    compared = compared and value.numel() <= _MOST_COMPARED
    return value.untyped_storage().data_ptr() if compared else None


def _same(old: torch.Tensor, new: torch.Tensor) -> bool:
    return old.shape == new.shape and old.dtype == new.dtype and _equal(old, new)
