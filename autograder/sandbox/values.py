"""Values as headers of frames have them: what a call is given, and what it gave.

A value in a header is one of
    {"tensor": name, "order": axes, "grad": bool}   a tensor; order: its memory layout
    {"meta": shape, "dtype": name}                  a tensor without data
    {"tuple" | "list": [values]}  {"dict": [[key, value], ...]}
    {"plain": None | bool | int | str}  {"float": text}
    {"odd": text}                                   anything else, described

A receiver reads no more parts of a value than a sender describes of one.
"""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch

from autograder.sandbox.wire import DTYPES, MAX_AXES, Header, Tensors, WireError, text

_MAX_TEXT = 2_000
_MAX_DEPTH = 8
_LARGEST_INT = (1 << 63) - 1
_MAX_PARTS = 1_000  # of a value, in all


@dataclass(frozen=True)
class Odd:
    """A value that is neither a plain tensor nor plain data, by its description."""

    description: str

    def __str__(self) -> str:
        return self.description


def order_of(tensor: torch.Tensor) -> list[int]:
    """Its axes from the widest stride to the narrowest: a receiver lays memory out likewise."""
    axes = list(range(tensor.dim()))
    if not tensor.is_contiguous():
        axes.sort(key=tensor.stride().__getitem__, reverse=True)
    return axes


class Packer:
    """Turns values into header parts and collects their tensors, up to `max_bytes`."""

    def __init__(self, max_bytes: int) -> None:
        self.tensors: Tensors = {}
        self._left = max_bytes
        self._parts = 0  # that the value may still have

    def pack(self, value: Any, depth: int = 0) -> Header:
        """Describe `value`; what cannot travel becomes `odd`, never an error."""
        kind = type(value)
        self._parts = self._parts if depth else _MAX_PARTS
        if isinstance(value, torch.Tensor):
            return self._tensor(value)
        if value is None or kind is bool or (kind is int and abs(value) <= _LARGEST_INT):
            return {"plain": value}
        if kind is str:
            return {"plain": value[:_MAX_TEXT]}
        if isinstance(value, float):  # numpy's, too
            return {"float": float.__repr__(value)}
        if depth < _MAX_DEPTH:
            is_dict = kind in (dict, OrderedDict)
            if is_dict and len(value) > self._parts:
                return {"odd": f"a dict of {len(value):,} entries"}
            if isinstance(value, (tuple, list)) and len(value) <= self._parts:
                self._parts -= len(value)
                name = "tuple" if isinstance(value, tuple) else "list"
                return {name: [self.pack(part, depth + 1) for part in value]}
            if is_dict:
                self._parts -= len(value)
                return {"dict": [[str(k), self.pack(v, depth + 1)] for k, v in value.items()]}
        return _odd(value)

    def _tensor(self, value: torch.Tensor) -> Header:
        if type(value) not in (torch.Tensor, torch.nn.Parameter):
            return _odd(value)
        if value.is_nested:  # it has no shape
            return {"odd": "a nested tensor"}
        if value.dim() > MAX_AXES:
            return {"odd": f"a tensor of {value.dim():,} axes"}
        shape, dtype = tuple(value.shape), str(value.dtype).removeprefix("torch.")
        if value.layout != torch.strided or value.is_quantized or dtype not in DTYPES:
            layout = str(value.layout).removeprefix("torch.")
            return {"odd": f"a {dtype} tensor of shape {shape} in {layout} layout"[:_MAX_TEXT]}
        if value.device.type == "meta":
            return {"meta": shape, "dtype": dtype}
        size = value.numel() * value.element_size()
        if size > self._left:
            return {"odd": f"a tensor of shape {shape}, {size:,} bytes: too large to hand over"}
        self._left -= size
        name, order = str(len(self.tensors)), order_of(value)
        plain = value.detach().resolve_conj().resolve_neg().cpu()
        if not plain.is_contiguous():
            plain = plain.permute(order).contiguous()
        self.tensors[name] = plain
        return {"tensor": name, "order": order, "grad": value.requires_grad}


def _odd(value: Any) -> Header:
    kind = type(value)
    return {"odd": f"{kind.__module__}.{kind.__qualname__}"[:_MAX_TEXT]}


def unpack(part: Any, tensors: Tensors) -> Any:
    """Rebuild a value from its header part. Raises WireError on anything unexpected."""
    return _unpack(part, tensors, 0, iter(range(_MAX_PARTS + 1)))


def _unpack(part: Any, tensors: Tensors, depth: int, left: Iterator[int]) -> Any:
    if depth > _MAX_DEPTH + 1 or not isinstance(part, dict) or not part:
        raise WireError("a value that is not described")
    if next(left, None) is None:
        raise WireError("a value of too many parts")
    try:
        if "tensor" in part:
            value, order = tensors[part["tensor"]], part["order"]
            if value.dim() > MAX_AXES:
                raise WireError("a tensor of too many axes")
            if order != list(range(value.dim())):
                value = value.permute(sorted(range(len(order)), key=order.__getitem__))
            return value.requires_grad_(bool(part["grad"]))
        if "meta" in part:
            shape = part["meta"][:MAX_AXES]
            return torch.empty(shape, dtype=DTYPES[part["dtype"]], device="meta")
        if "tuple" in part:
            return tuple(_unpack(each, tensors, depth + 1, left) for each in part["tuple"])
        if "list" in part:
            return [_unpack(each, tensors, depth + 1, left) for each in part["list"]]
        if "dict" in part:
            return {str(k): _unpack(v, tensors, depth + 1, left) for k, v in part["dict"]}
        if "float" in part:
            return float(part["float"])
        if "odd" in part:
            return Odd(text(part["odd"], _MAX_TEXT))
        plain = part["plain"]
    except (KeyError, IndexError, TypeError, ValueError, RuntimeError, OverflowError) as error:
        raise WireError(f"a value that is not what it says: {error}") from error
    large = isinstance(plain, int) and abs(plain) > _LARGEST_INT
    if large or (plain is not None and not isinstance(plain, (bool, int, str))):
        raise WireError("a plain value that is not plain")
    return plain
