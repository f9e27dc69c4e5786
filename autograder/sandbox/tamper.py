"""Takes from a fork what only tampering with the refusal of banned calls needs.

Python tells an audit hook of what programs seldom do, and a hook cannot be taken back. Ours
refuses to search memory for our objects, and to make torch's own source or code into functions
once more. Nothing of this is a wall.
"""

import functools
import os
import sys
import types
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils import _python_dispatch

from autograder.sandbox.refusal import Refusal, functions, kind_of

_SEARCHES = frozenset({"gc.get_objects", "gc.get_referrers", "gc.get_referents"})
_ATTRIBUTES = frozenset({"object.__getattr__", "object.__setattr__"})
_TORCH = os.path.dirname(torch.__file__)
# Imported by optimizers, checkpoints, gradients of functions; and with them much of torch.
_COMPILER = "torch._dynamo", "torch._inductor"
_KNOWN = "torch.", "autograder."  # whose dispatch modes may be entered
_FEW = 12  # names: who uses as few may do so by chance
_Names = tuple[str, ...]


@functools.cache
def known() -> frozenset[_Names]:
    """The names that torch's functions use which may be banned, each in its order.

    By these they are known again, whatever they are called and how they were compiled. Asked
    once, in the server.
    """
    found = (function.__code__.co_names for _, function in functions())
    return frozenset(each for each in found if len(each) >= _FEW)


def watch(refusal: Refusal) -> None:
    """Keep watch for as long as this process lives."""
    theirs = known()

    def look(code: types.CodeType) -> None:
        module = _being_imported(code) if code.co_filename.startswith(_TORCH) else None
        if module is None:
            for each in _all(code):
                if each.co_names in theirs or (
                    each.co_filename.startswith(_TORCH) and _bears(each)
                ):
                    refusal.refuse_what(f"{each.co_name}, which is torch's own,")
        elif any(map(_bears, _all(code))):
            refusal.imported.append(module)
            if refusal.calling and not _compiler_is_coming():
                refusal.refuse_what(f"importing {module.__name__}")

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event in _SEARCHES:
            raise RuntimeError(f"{event} is not allowed here")
        if refusal.working:
            return
        if event in ("exec", "function.__new__"):
            look(args[0])
        elif event == "object.__setattr__" and args[1] == "__code__":
            look(args[2])
        elif event in _ATTRIBUTES and args[1] == "__code__" and args[0] in refusal.standing:
            refusal.refuse_what("torch's own code")

    sys.addaudithook(hook)

    def no_kernel(*_: Any) -> None:
        refusal.refuse_what("torch.library.get_kernel")

    # A kernel that is called by itself does not pass the dispatcher, nor does what runs a graph.
    torch._C._dispatch_get_computed_kernel_for_dispatch_key = no_kernel  # type: ignore[assignment]
    torch._C._jit_to_static_module = no_kernel  # type: ignore[assignment]
    push = torch._C._push_on_torch_dispatch_stack

    # Any other could note down what torch's own is made of.
    def push_known(mode: Any) -> None:
        if not type(mode).__module__.startswith(_KNOWN):
            refusal.refuse_what("a dispatch mode of one's own")
        push(mode)

    vars(_python_dispatch)[push.__name__] = push_known


def _all(code: types.CodeType) -> Iterator[types.CodeType]:
    waiting = [code]
    while waiting:
        yield (each := waiting.pop())
        waiting += [inner for inner in each.co_consts if type(inner) is types.CodeType]


def _bears(code: types.CodeType) -> bool:
    return kind_of(code.co_filename.removeprefix(_TORCH)) or kind_of(code.co_qualname)


def _being_imported(code: types.CodeType) -> types.ModuleType | None:
    """The module that this file of torch's is being imported as, under its own name."""
    path = os.path.relpath(code.co_filename, os.path.dirname(_TORCH))
    parts = os.path.splitext(path)[0].split(os.sep)
    module = sys.modules.get(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return module if _is_coming(module) else None


def _is_coming(module: types.ModuleType | None) -> bool:
    return bool(getattr(getattr(module, "__spec__", None), "_initializing", False))


def _compiler_is_coming() -> bool:
    """Whether torch imports its compiler, of which nobody need know; it computes nothing.

    What comes with it is refused from the next question on.
    """
    return any(_is_coming(sys.modules.get(each)) for each in _COMPILER)
