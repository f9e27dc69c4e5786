"""Refuses banned calls of torch while a student's function runs, and takes note of them."""

import contextlib
import functools
import sys
import types
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import torch

# Where torch's dispatcher comes by when a banned call is made: operation, and the key of the
# kernel that is replaced.
_LAYER_NORM = ("layer_norm", "CompositeImplicitAutograd"), ("native_layer_norm", "CPU")
_OPERATIONS = {
    "torch.nn.functional.scaled_dot_product_attention": (
        ("scaled_dot_product_attention", "CompositeImplicitAutograd"),
        ("_scaled_dot_product_attention_math", "CompositeImplicitAutograd"),
        ("_scaled_dot_product_flash_attention_for_cpu", "CPU"),
        ("_safe_softmax", "CPU"),
    ),
    "torch.nn.MultiheadAttention": (("_native_multi_head_attention", "CPU"),),
    "torch.nn.TransformerEncoderLayer": (("_transformer_encoder_layer_fwd", "CPU"),),
    "torch.nn.functional.layer_norm": _LAYER_NORM,
    "torch.nn.functional.cross_entropy": (("cross_entropy_loss", "CompositeImplicitAutograd"),),
}
# Banned calls that are Python all the way down to allowed operations.
_FUNCTIONS = {"torch.nn.functional.multi_head_attention_forward": torch.nn.functional}


class Refusal:
    """Puts a kernel that takes note, and refuses, in the place of each banned call's.

    This costs nothing where nothing banned is called, and it is out of reach of the tricks by
    which Python code finds another name for a function.
    """

    def __init__(self) -> None:
        self._found: dict[str, None] = {}
        self._library: torch.library.Library | None = None  # its kernels live as long as it does
        self._exempt: set[types.CodeType] = set()
        self._inside = False  # of a call that an exempt function has made

    def exempt(self, code: types.CodeType) -> None:
        """Let the functions of this code make calls that are banned: it is ours."""
        self._exempt.add(code)
        for each in code.co_consts:
            if isinstance(each, types.CodeType):
                self.exempt(each)

    def install(self, banned: Iterable[str]) -> None:
        """Replace the kernels, once and for all; later calls do nothing."""
        if self._library is None and banned:
            self._library = self._replace(banned)
            for name in banned:
                if name in _FUNCTIONS:
                    module, function = _FUNCTIONS[name], name.rpartition(".")[2]
                    stand_in = functools.partial(self._stand_in, name, getattr(module, function))
                    setattr(module, function, stand_in)

    @contextlib.contextmanager
    def also(self, banned: Iterable[str]) -> Iterator[None]:
        """Refuse these too, for as long as the block runs."""
        if not banned:
            yield
            return
        library = self._replace(banned)
        try:
            yield
        finally:
            library._destroy()  # type: ignore[no-untyped-call]

    def _replace(self, banned: Iterable[str]) -> torch.library.Library:
        library = torch.library.Library("aten", "IMPL")  # type: ignore[no-untyped-call]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch warns that kernels are being replaced
            for name in banned:
                refuse = functools.partial(self._refuse, name)
                for operation, key in _OPERATIONS.get(name, ()):
                    library.impl(operation, refuse, key)  # type: ignore[no-untyped-call]
        return library

    def _stand_in(self, name: str, original: Any, *args: Any, **kwargs: Any) -> Any:
        if not (self._inside or sys._getframe(1).f_code in self._exempt):
            return self._refuse(name)
        # Under a mode torch's function comes back here by way of the mode, from other frames.
        before, self._inside = self._inside, True
        try:
            return original(*args, **kwargs)
        finally:
            self._inside = before

    def _refuse(self, name: str, *_: Any, **__: Any) -> None:
        self._found[name] = None
        raise RuntimeError(f"{name} is not allowed here")

    def take(self) -> tuple[str, ...]:
        """What was seen since the last time."""
        found, self._found = tuple(self._found), {}
        return found
