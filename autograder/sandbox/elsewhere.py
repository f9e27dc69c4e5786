"""A device that is not there: for finding what is made on the wrong one, without a GPU.

Inside `AnotherDevice`, tensors that are `Elsewhere` say that they are on the device `OTHER`. What
is computed from them is there too, and so is what is made with `device=` or moved by `to`; what is
made without saying where is not. Mixing the two raises what torch raises. All values are real ones
on the CPU: torch's own device without memory, meta, would take a second to set up, and a function
that reads values could not run on it, though it can on every real device.
"""

from collections.abc import Iterable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

OTHER = torch.device("meta")  # a label: nothing is ever allocated there
_DEVICE_OF = torch.Tensor.device.__get__


class Elsewhere(torch.Tensor):
    """A tensor that says that it is on the other device; torch hands the class on to results."""


class AnotherDevice(TorchFunctionMode):
    """While it is entered, the other device exists."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Do what torch would, and keep track of where."""
        if func == _DEVICE_OF:
            return OTHER if isinstance(args[0], Elsewhere) else func(*args)
        options = dict(kwargs or {})
        wanted = options.pop("device", None)
        name = getattr(func, "__name__", "")
        if name == "cpu":
            wanted = "cpu"
        elif name == "to":
            args, wanted = _target(args, options, wanted)
        else:
            _refuse_mixture(args)
        result = func(*args, **options)
        if wanted is None or not isinstance(result, torch.Tensor):
            return result
        return result.as_subclass(Elsewhere if torch.device(wanted) == OTHER else torch.Tensor)


def _target(args: Any, options: dict[str, Any], wanted: Any) -> tuple[Any, Any]:
    """The arguments of `to` without its device, and the device."""
    left = [args[0]]
    for each in args[1:]:
        if isinstance(each, torch.Tensor):  # to(other): its device and its dtype
            wanted = OTHER if isinstance(each, Elsewhere) else "cpu"
            left.append(each.dtype)
        elif isinstance(each, (str, torch.device)):
            wanted = each
        else:
            left.append(each)
    if len(left) == 1 and not options:  # to(device) alone
        left.append(args[0].dtype)
    return tuple(left), wanted


def _refuse_mixture(args: Iterable[Any]) -> None:
    found = {type(each) is Elsewhere for each in _tensors(args) if each.dim()}
    if len(found) == 2:
        raise RuntimeError(
            "Expected all tensors to be on the same device, but found at least two devices, "
            f"{OTHER} and cpu!"
        )


def _tensors(args: Iterable[Any]) -> Iterable[torch.Tensor]:
    for each in args:
        if isinstance(each, torch.Tensor):
            yield each
        elif isinstance(each, (list, tuple)):
            yield from _tensors(each)
