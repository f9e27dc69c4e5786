"""One submission being run: its cells' names, and the answers to calls of them.

The session lives in a fork inside the walls. The reference is run by the very same class, in
the grader's own process: a check cannot tell the two apart.
"""

import builtins
import contextlib
import io
import linecache
import sys
import traceback
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

_MAX_TEXT = 600


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
    failure: Failure | None = None


class Session:
    """The namespace of a notebook and what may be asked of it.

    banned: dotted names of torch calls to report when a call makes them.
    """

    def __init__(self, banned: Sequence[str] = (), *, main: bool = False) -> None:
        self._banned = frozenset(banned)
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
            exec(compile(source, filename, "exec"), self._module.__dict__)
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
        elsewhere: while it runs, torch's default device is another one (meta, where tensors have
        no values) than that of the inputs: what is made without saying where shows.
        """
        found = self.get(name)
        if found.failure:
            return found
        inputs = [*args, *kwargs.values()]
        # torch forbids writing to a leaf that requires a gradient; writing to an input is to be
        # found with our words, not with torch's: so the function gets copies of those.
        given = [each.clone() if _wants_gradient(each) else each for each in inputs]
        before = [each.detach().clone() if _has_data(each) else None for each in given]
        watch = _Watch(self._banned)
        default_device = torch.device("meta") if elsewhere else contextlib.nullcontext()
        gradients: tuple[torch.Tensor | None, ...] = ()
        try:
            with default_device, watch.operations, watch.functions:
                positional = given[: len(args)]
                named = dict(zip(kwargs, given[len(args) :], strict=True))
                value = found.value(*positional, **named)
            if cotangents is not None:
                gradients = _gradients(value, cotangents, inputs)
        except BaseException as error:
            return Answer(None, banned=watch.seen, failure=describe_failure(error))
        changed = tuple(
            position
            for position, (old, new) in enumerate(zip(before, given, strict=True))
            if old is not None and not _same(old, new.detach())
        )
        return Answer(value, gradients, changed, watch.seen)


def _has_data(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.device.type != "meta"


def _wants_gradient(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.requires_grad


def _same(old: torch.Tensor, new: torch.Tensor) -> bool:
    return old.shape == new.shape and old.dtype == new.dtype and torch.equal(old, new)


def _gradients(
    value: Any, cotangents: Sequence[Any], inputs: Sequence[Any]
) -> tuple[torch.Tensor | None, ...]:
    outputs = value if isinstance(value, (tuple, list)) else (value,)
    total: torch.Tensor | None = None
    for output, cotangent in zip(outputs, cotangents, strict=False):
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


# How a banned call shows: the name of the torch function, or of the operation that it ends in.
_SHOWS_AS = {
    "scaled_dot_product_attention": "torch.nn.functional.scaled_dot_product_attention",
    "_safe_softmax": "torch.nn.functional.scaled_dot_product_attention",
    "_scaled_dot_product_attention_math": "torch.nn.functional.scaled_dot_product_attention",
    "_scaled_dot_product_flash_attention_for_cpu": (
        "torch.nn.functional.scaled_dot_product_attention"
    ),
    "multi_head_attention_forward": "torch.nn.functional.multi_head_attention_forward",
    "_native_multi_head_attention": "torch.nn.MultiheadAttention",
    "_transformer_encoder_layer_fwd": "torch.nn.TransformerEncoderLayer",
    "layer_norm": "torch.nn.functional.layer_norm",
    "native_layer_norm": "torch.nn.functional.layer_norm",
}


class _Watch:
    """Sees which banned calls are made, by name and, below autograd, by operation."""

    def __init__(self, banned: frozenset[str]) -> None:
        self._banned = banned
        self._found: dict[str, None] = {}
        self.functions = _Functions(self._note)
        self.operations = _Operations(self._note)

    @property
    def seen(self) -> tuple[str, ...]:
        return tuple(self._found)

    def _note(self, name: str) -> None:
        full_name = _SHOWS_AS.get(name)
        if full_name in self._banned:
            self._found[full_name] = None


class _Functions(TorchFunctionMode):
    def __init__(self, note: Callable[[str], None]) -> None:
        super().__init__()
        self._note = note

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self._note(getattr(func, "__name__", ""))
        return func(*args, **(kwargs or {}))


class _Operations(TorchDispatchMode):  # type: ignore[no-untyped-call] # torch's own are not
    def __init__(self, note: Callable[[str], None]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._note = note

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # else the first operation imports the whole compiler, for a second or more

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self._note(func._opname)
        return func(*args, **(kwargs or {}))
