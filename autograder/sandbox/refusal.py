"""Refuses banned calls of torch while a student's function runs, and takes note of them.

What is banned stands for all of its kind, and torch is asked what there is of it: every operation
of the dispatcher and every function of torch's modules whose name bears the kind's. An operation
gets a kernel that refuses, a function a body that does; so no other name for it helps, and a
reference taken before neither. This costs nothing where nothing banned is called. It is a
deterrent, no wall: what it is made of lies in the student's own process (see tamper.py, and
`proof`).
"""

import contextlib
import ctypes
import functools
import itertools
import os
import re
import sys
import types
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch


@dataclass(frozen=True, eq=False)
class _Kind:
    """words: one is in each name; but: in none. proof: a call to be refused, and its inputs."""

    words: tuple[str, ...]
    but: tuple[str, ...] = ()
    proof: tuple[str, str] | None = None
    also: tuple[str, ...] = ()  # what bears other names, and does the better part of it

    def has(self, name: str) -> bool:
        plain = name.lower().replace("_", "")
        if any(each.replace("_", "") in plain for each in self.words):
            return not any(each in plain for each in self.but)
        return name in self.also or name.partition(".")[0] in self.also


_NORMALIZE = "torch._refs._normalize"
_KINDS = (
    _Kind(
        ("attention", "multihead"),
        proof=("torch._C._nn.scaled_dot_product_attention", "x, x, x"),
        also=("aten::_safe_softmax",),
    ),
    _Kind(("transformer",), but=("torch.fx",)),
    _Kind(
        ("layer_norm", "group_norm", "batch_norm"),
        proof=("torch.layer_norm", "x, (1,)"),
        also=("aten::instance_norm", "aten::rms_norm", "aten::_fused_rms_norm", _NORMALIZE),
    ),
    _Kind(("rms_norm",), proof=("torch.rms_norm", "x, (1,)")),
    _Kind(("cross_entropy",), but=("binary",), proof=("torch._C._nn.cross_entropy_loss", "x, x")),
)
_ANY = re.compile(
    "|".join("_?".join(each.replace("_", "")) for kind in _KINDS for each in kind.words), re.I
)
_KEYS = ("CPU", "CompositeImplicitAutograd", "CompositeExplicitAutograd", "NestedTensorCPU")
_SHAPES_ONLY = ("torch._meta_registrations", "torch.backends.cuda")  # these compute nothing
# Whose frames may stand between an exempt function and a call: torch's, Python's, and ours.
_BETWEEN = tuple(f"{os.path.dirname(each)}/" for each in (torch.__file__, os.__file__, __file__))
_COPIES = ("__setstate__", "__getstate__")  # copies are made by these, of what was made before
_Undo = Callable[[], None]


@functools.cache
def operations() -> tuple[tuple[_Kind, str, str], ...]:
    """Torch's operations of every kind, and the key of each kernel here; asked in the server."""
    names = [each for each in torch._C._dispatch_get_all_op_names() if each.startswith("aten::")]
    return tuple(
        (kind, name.removeprefix("aten::"), key)
        for kind in _KINDS
        for name in names
        if kind.has(name)
        for key in _KEYS
        if torch._C._dispatch_has_kernel_for_dispatch_key(name, key)
    )


@functools.cache
def functions() -> tuple[tuple[_Kind, types.FunctionType], ...]:
    """Torch's functions and methods of every kind, in what of it is imported so far."""
    names = [each for each in sys.modules if each.startswith("torch") and each not in _SHAPES_ONLY]
    return tuple(of_modules(sys.modules[each] for each in names))


def of_modules(
    modules: Iterable[types.ModuleType],
) -> Iterator[tuple[_Kind, types.FunctionType]]:
    """Functions and methods that are defined in these modules, with their kind."""
    for module in modules:
        everything = kind_of(module.__name__)
        for key, value in list(vars(module).items()):
            if not (everything or kind_of(key) or f"{module.__name__}.{key}" == _NORMALIZE):
                continue
            inner = vars(value).values() if issubclass(type(value), type) else ()
            for each in itertools.chain([value], inner):
                wrapped = type(each) in (staticmethod, classmethod)
                function = each.__func__ if wrapped else each
                while type(function) is types.FunctionType and function.__name__ not in _COPIES:
                    if function.__module__ == module.__name__:
                        name = f"{function.__module__}.{function.__qualname__}"
                        yield from ((kind, function) for kind in _KINDS if kind.has(name))
                    function = vars(function).get("__wrapped__")


def every_kind() -> list[str]:
    """Names of which each kind has one."""
    return [kind.words[0] for kind in _KINDS]


def kind_of(name: str) -> bool:
    """Whether something of this name is of any kind."""
    return _ANY.search(name) is not None


def proof(banned: Iterable[str]) -> str | None:
    """A call (of a tensor `x` of one number) that must be refused where these are banned."""
    calls = (kind.proof for kind in _KINDS if kind.proof and any(map(kind.has, banned)))
    return next((f"{name}({inputs})" for name, inputs in calls), None)


@dataclass
class Refusal:
    """Refuses what is banned, from `install` on.

    imported: torch's modules that were imported meanwhile; standing: functions whose bodies refuse
    now; working: it is at work itself; calling: a student's function runs.
    """

    imported: list[types.ModuleType] = field(default_factory=list)
    standing: set[types.FunctionType] = field(default_factory=set)
    working: bool = False
    calling: bool = False
    _found: dict[str, None] = field(default_factory=dict)
    _exempt: set[types.CodeType] = field(default_factory=set)
    _banned: tuple[str, ...] = ()
    _seen: int = 0  # of what was imported, when `install` last looked
    _held: tuple[tuple[str, ...], int] = ((), 0)  # what `also` refuses, of how many imported
    _registered: Any = None
    _undo: list[_Undo] = field(default_factory=list)

    def exempt(self, code: types.CodeType) -> None:
        """Let functions of this code make banned calls: it is ours, while none of theirs runs."""
        self._exempt |= set() if self.calling else {code}
        for each in code.co_consts:
            if isinstance(each, types.CodeType):
                self.exempt(each)

    def install(self, banned: Collection[str]) -> None:
        """Refuse these, once and for all, also in what was imported since the last call."""
        if banned and (not self._banned or self._seen != len(self.imported)):
            self._banned, self._seen = tuple(banned), len(self.imported)
            registered, _ = self._replace(banned)
            # One reference more than anybody holds: what is never freed is never undone.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(registered))

    @contextlib.contextmanager
    def also(self, banned: Collection[str]) -> Iterator[None]:
        """Refuse these too while the block runs, and on until one of others does."""
        self.calling = True
        held = (*banned,), len(self.imported)
        if held != self._held:
            self.give_back()
            if banned:
                self._registered, self._undo = self._replace(banned)
            self._held = held
        try:
            yield
        finally:
            self.calling = False

    def give_back(self) -> None:
        """Refuse no longer what `also` refuses."""
        self.working = True
        for each in self._undo:
            each()
        self.working = False
        self._registered, self._undo = None, []  # and with the former its kernels
        self._held = (), 0

    def _replace(self, banned: Collection[str]) -> tuple[Any, list[_Undo]]:
        """Refuse these. Returns what holds the kernels, and what gives the functions back."""
        self.working = True
        registered = torch._C._dispatch_library("IMPL", "aten", "")
        kinds = {kind: [each for each in banned if kind.has(each)] for kind in _KINDS}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch warns that kernels are being replaced
            for kind, name, key in operations():
                if kinds[kind]:
                    refuse = functools.partial(self.refuse, kinds[kind], name)
                    registered.impl(name, key, refuse)
        undo = []
        for kind, function in (*functions(), *of_modules(self.imported)):
            if kinds[kind] and function not in self.standing:
                instead = _stand_in_for(function)
                function.__code__ = instead.body
                instead.banned, instead.refusal = kinds[kind], self
                self.standing.add(function)
                undo.append(instead.undo)
        self.working = False
        return registered, undo

    def stand_in(self, instead: "_StandIn", *args: Any, **kwargs: Any) -> Any:
        """What becomes of a call of a banned function."""
        if not self._is_ours(sys._getframe(3)):
            return self.refuse(instead.banned, instead.function.__qualname__)
        self.working = True
        original = instead.original()
        self.working = False
        return original(*args, **kwargs)

    def _is_ours(self, frame: types.FrameType | None) -> bool:
        """Whether a call comes from what is exempt, through nothing but torch and ourselves."""
        while frame is not None and frame.f_code not in self._exempt:
            if not frame.f_code.co_filename.startswith(_BETWEEN):
                return False
            frame = frame.f_back
        return frame is not None

    def refuse(self, banned: Collection[str], what: str, *_: Any, **__: Any) -> None:
        """Take note of the banned call that it is best known by. Raises RuntimeError."""
        name = _called(banned, what)
        self._found[name] = None
        raise RuntimeError(f"{name} is not allowed here")

    def refuse_what(self, it: str) -> None:
        """Refuse another way to a banned call. Raises RuntimeError."""
        if self.calling and self._banned:
            self._found[self._banned[0]] = None
        raise RuntimeError(f"{it} is not allowed here")

    def take(self) -> tuple[str, ...]:
        """What was seen since the last time."""
        found, self._found = tuple(self._found), {}
        return found


class _StandIn:
    """What all references to a function of torch's lead to, while its `body` is the function's."""

    banned: Collection[str] = ()
    refusal: Refusal

    def __init__(self, function: types.FunctionType) -> None:
        self.function = function
        self._code = function.__code__
        own = _body.__code__
        self.body = own.replace(
            co_consts=tuple(self if each == _INSTEAD else each for each in own.co_consts),
            co_freevars=self._code.co_freevars,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.refusal.stand_in(self, *args, **kwargs)

    def original(self) -> types.FunctionType:
        """The function as it was."""
        of = self.function
        found = types.FunctionType(
            self._code, of.__globals__, of.__name__, of.__defaults__, of.__closure__
        )
        found.__kwdefaults__ = of.__kwdefaults__
        return found

    def undo(self) -> None:
        """Give the function its own body back."""
        self.function.__code__ = self._code
        self.refusal.standing.discard(self.function)


_INSTEAD = "what is called instead"


def _body(*args: Any, **kwargs: Any) -> Any:
    return "what is called instead".__call__(*args, **kwargs)  # type: ignore[operator]


_stand_in_for = functools.cache(_StandIn)


def stand_ins() -> None:
    """Make them, once in the server: that takes longer than all else of refusing."""
    for _, function in functions():
        _stand_in_for(function)


def _called(banned: Collection[str], what: str) -> str:
    """Under which of the banned names it is best known."""
    plain = what.lower().replace("_", "")

    def shared(name: str) -> int:
        last = name.rpartition(".")[2].lower().replace("_", "")
        return len(last) if last in plain else 0

    return max(banned, key=shared)
