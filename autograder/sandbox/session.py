"""One submission being run: its cells' names, and the answers to calls of them.

The session lives in a fork inside the walls. The reference is run by the very same class, in
the grader's own process: a check cannot tell the two apart.
"""

import builtins
import contextlib
import functools
import io
import linecache
import sys
import traceback
import types
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from autograder.sandbox.elsewhere import AnotherDevice, Elsewhere

_MAX_TEXT = 600
_equal = torch.equal  # as it is before a student's code may replace it


@dataclass(frozen=True)
class Failure:
    """An exception of the student's: what it was, and the student's own line that raised it."""

    type: str
    message: str
    cell: str | None = None
    line: int | None = None
    source: str | None = None


@dataclass(frozen=True)
class Answer:
    """What one call gave. Gradients are of the tensors that asked for one, in their order."""

    value: Any
    gradients: tuple[torch.Tensor | None, ...] = ()
    changed: tuple[int, ...] = ()  # positions of arguments that the call wrote to
    banned: tuple[str, ...] = ()
    elsewhere: tuple[bool, ...] = ()  # of each output, when that was asked: is it there?
    failure: Failure | None = None


class Session:
    """The namespace of a notebook and what may be asked of it.

    banned: dotted names of torch calls to report when a call makes them.
    """

    def __init__(self, banned: Sequence[str] = (), *, main: bool = False) -> None:
        self._banned = frozenset(banned)
        self._watch = _Watch()
        self._module = types.ModuleType("__main__" if main else "notebook")
        if main:
            sys.modules["__main__"] = self._module

    def module(self, name: str, source: str) -> None:
        """Make `source` importable as `name`, and its `builtins` mapping visible everywhere."""
        module = types.ModuleType(name)
        exec(compile(source, f"<{name}>", "exec"), module.__dict__)
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
        try:
            exec(code, self._module.__dict__)
        except BaseException as error:  # SystemExit is a student's mistake like any other
            return describe_failure(error)
        return None

    def get(self, name: str) -> Answer:
        """The value of a name; a failure of type `Missing` when there is none."""
        try:
            return Answer(self._module.__dict__[name])
        except KeyError:
            return Answer(None, failure=Failure("Missing", name))

    def call(
        self,
        name: str,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        cotangents: Sequence[Any] | None = None,
        elsewhere: bool = False,
    ) -> Answer:
        """Call a function of the notebook.

        cotangents: one for each output (None: leave it out); then the answer has the gradients
        of sum(output * cotangent) by every argument that requires one.
        elsewhere: the inputs say that they are on another device (see elsewhere.py), and the
        answer whether the outputs are.
        """
        found = self.get(name)
        if found.failure:
            return found
        inputs = [*args, *kwargs.values()]
        # torch forbids writing to a leaf that requires a gradient; writing to an input is to be
        # found with our words, not with torch's: so the function gets copies of those.
        given = [each.clone() if _wants_gradient(each) else each for each in inputs]
        before = [each.detach().clone() if _has_data(each) else None for each in given]
        # Only now: comparing one's own result with torch's in a cell is no offence.
        self._watch.install(self._banned)
        if elsewhere:
            given = [each.as_subclass(Elsewhere) if _has_data(each) else each for each in given]
        device = AnotherDevice() if elsewhere else contextlib.nullcontext()
        gradients: tuple[torch.Tensor | None, ...] = ()
        try:
            with device:
                positional = given[: len(args)]
                named = dict(zip(kwargs, given[len(args) :], strict=True))
                value = found.value(*positional, **named)
            if cotangents is not None:
                gradients = _gradients(value, cotangents, inputs)
        except BaseException as error:
            return Answer(None, banned=self._watch.take(), failure=describe_failure(error))
        changed = tuple(
            position
            for position, (old, new) in enumerate(zip(before, given, strict=True))
            if old is not None and not _same(old, new.detach())
        )
        there: tuple[bool, ...] = ()
        if elsewhere:
            there = tuple(type(each) is Elsewhere for each in _outputs(value))
            value = _brought_back(value)
        return Answer(value, gradients, changed, self._watch.take(), there)


def _outputs(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (tuple, list)) else (value,)


def _brought_back(value: Any) -> Any:
    if type(value) in (tuple, list):
        return type(value)(map(_brought_back, value))
    return value.as_subclass(torch.Tensor) if type(value) is Elsewhere else value


def _has_data(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.device.type != "meta"


def _wants_gradient(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.requires_grad


def _same(old: torch.Tensor, new: torch.Tensor) -> bool:
    return old.shape == new.shape and old.dtype == new.dtype and _equal(old, new)


def _gradients(
    value: Any, cotangents: Sequence[Any], inputs: Sequence[Any]
) -> tuple[torch.Tensor | None, ...]:
    total: torch.Tensor | None = None
    for output, cotangent in zip(_outputs(value), cotangents, strict=False):
        if cotangent is not None and isinstance(output, torch.Tensor):
            part = (output * cotangent).sum()
            total = part if total is None else total + part
    wanted = [each for each in inputs if _wants_gradient(each)]
    if total is None or not total.requires_grad:
        return (None,) * len(wanted)
    return torch.autograd.grad(total, wanted, allow_unused=True, materialize_grads=True)


def describe_failure(error: BaseException) -> Failure:
    """The exception in words, with the student's own line that raised it."""
    name = type(error).__name__
    if "not enough memory" in _text(error) or "can't allocate memory" in _text(error):  # torch's
        name = "MemoryError"
    if isinstance(error, SyntaxError):
        cell, line, source = error.filename, error.lineno, error.text
    else:
        cell, line, source = None, None, None
        for frame in traceback.extract_tb(error.__traceback__):
            if frame.filename.startswith("<cell "):
                cell, line, source = frame.filename, frame.lineno, frame.line
    return Failure(
        name[:100],
        _text(error),
        cell.removeprefix("<cell ").removesuffix(">")[:100] if cell else None,
        line,
        source.strip()[:200] if source else None,
    )


def _text(error: BaseException) -> str:
    try:
        return str(error.msg if isinstance(error, SyntaxError) else error)[:_MAX_TEXT]
    except BaseException:  # the exception is the student's own class, and so is its __str__
        return "(its message could not be read)"


class BoundedOutput(io.TextIOBase):
    """What the submission prints goes nowhere, and not without end."""

    def __init__(self, max_bytes: int) -> None:
        super().__init__()
        self._max, self._left = max_bytes, max_bytes

    def writable(self) -> bool:
        """Always."""
        return True

    def write(self, text: str) -> int:
        """Count; raises OutputError once more than the limit has been printed."""
        self._left -= len(text)
        if self._left < 0:
            raise OutputError(f"more than {self._max:,} bytes were printed")
        return len(text)


class OutputError(Exception):
    """The submission printed more than it may."""


# Where torch's dispatcher comes by when a banned call is made: operation, and the key of the
# kernel that is replaced.
_OPERATIONS = {
    "torch.nn.functional.scaled_dot_product_attention": (
        ("scaled_dot_product_attention", "CompositeImplicitAutograd"),
        ("_scaled_dot_product_attention_math", "CompositeImplicitAutograd"),
        ("_scaled_dot_product_flash_attention_for_cpu", "CPU"),
        ("_safe_softmax", "CPU"),
    ),
    "torch.nn.MultiheadAttention": (("_native_multi_head_attention", "CPU"),),
    "torch.nn.TransformerEncoderLayer": (("_transformer_encoder_layer_fwd", "CPU"),),
}
# Banned calls that are Python all the way down to allowed operations.
_FUNCTIONS = {"torch.nn.functional.multi_head_attention_forward": torch.nn.functional}


class _Watch:
    """Puts a kernel that takes note, and refuses, in the place of each banned call's.

    This costs nothing where nothing banned is called, and it is out of reach of the tricks by
    which Python code finds another name for a function.
    """

    def __init__(self) -> None:
        self._found: dict[str, None] = {}
        self._library: torch.library.Library | None = None  # its kernels live as long as it does

    def install(self, banned: frozenset[str]) -> None:
        """Replace the kernels, once; later calls do nothing."""
        if self._library is not None or not banned:
            return
        self._library = torch.library.Library("aten", "IMPL")  # type: ignore[no-untyped-call]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch warns that kernels are being replaced
            for name in banned:
                refuse = functools.partial(self._refuse, name)
                for operation, key in _OPERATIONS.get(name, ()):
                    self._library.impl(operation, refuse, key)  # type: ignore[no-untyped-call]
                if name in _FUNCTIONS:
                    setattr(_FUNCTIONS[name], name.rpartition(".")[2], refuse)

    def _refuse(self, name: str, *_: Any, **__: Any) -> None:
        self._found[name] = None
        raise RuntimeError(f"{name} is not allowed here")

    def take(self) -> tuple[str, ...]:
        """What was seen since the last time."""
        found, self._found = tuple(self._found), {}
        return found
