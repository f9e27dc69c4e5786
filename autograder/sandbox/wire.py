"""Frames between the grader and a submission: a bounded JSON header, and the bytes of tensors.

A frame is two lengths (little endian: 4 bytes, 8 bytes), the header, the payload. The header says
what the values are, and under "tensors" {name: [dtype, shape]}; the tensors of these names lie in
the payload one after the other, each from a multiple of 8 bytes on. Nothing that arrives is ever
unpickled or evaluated. Whoever reads states how much may come and until when, so that a hostile
sender can neither fill the memory nor stall the reader.

A value in a header is one of
    {"tensor": name, "order": axes, "grad": bool}   a tensor; order: its memory layout
    {"meta": shape, "dtype": name}                  a tensor without data
    {"tuple" | "list": [values]}  {"dict": [[key, value], ...]}
    {"plain": None | bool | int | str}  {"float": text}
    {"odd": text}                                   anything else, described
"""

import hashlib
import json
import math
import os
import select
import socket
import struct
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import torch

Header = dict[str, Any]
Tensors = dict[str, torch.Tensor]

_LENGTHS = struct.Struct("<IQ")
_AS_JSON = json.JSONEncoder(allow_nan=False).encode  # made once
MAX_HEADER_BYTES = 1 << 20
MAX_BYTES = 1 << 28  # of tensors, in a frame of the grader's
_MAX_TEXT = 2_000
_MAX_DEPTH = 8
_LARGEST_INT = (1 << 63) - 1
_MAX_PARTS = 1_000
_MAX_AXES = 64  # more than torch itself can compute with
_ALIGNED = 8  # bytes, from a multiple of which on each tensor lies
_CHUNK = 1 << 16  # bytes that are read at once, where there are as many
_DTYPES = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (
        *(torch.float16, torch.float32, torch.float64),
        *(torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64),
    )
}


class WireError(Exception):
    """A frame that breaks the rules: malformed, too large, or not what it says."""


class Closed(Exception):
    """The other side has hung up."""


class TooSlow(Exception):
    """The frame did not arrive before its deadline."""


@dataclass(frozen=True)
class Odd:
    """A value that is neither a plain tensor nor plain data, by its description."""

    description: str

    def __str__(self) -> str:
        return self.description


def text(value: object, at_most: int) -> str:
    """What a submission says, cut, and fit to be stored and shown wherever a text can be."""
    said = value[:at_most] if isinstance(value, str) else "(no text)"
    return "".join(each if each.isprintable() or each in "\n\t" else "\ufffd" for each in said)


def encode(header: Header, tensors: Tensors) -> bytes:
    """One frame."""
    about: dict[str, Any] = {}
    payload = bytearray()
    for name, tensor in tensors.items():
        about[name] = [str(tensor.dtype).removeprefix("torch."), list(tensor.shape)]
        payload += tensor.numpy().tobytes()
        payload += bytes(-len(payload) % _ALIGNED)
    head = _AS_JSON({**header, "tensors": about} if about else header).encode()
    return _LENGTHS.pack(len(head), len(payload)) + head + payload


def _laid_out(about: dict[str, Any], payload: bytearray) -> Tensors:
    """The tensors of a payload. Raises what a reader does of nonsense, and of too few bytes."""
    tensors, start = {}, 0
    for name, (kind, shape) in about.items():
        if len(shape) > _MAX_AXES or any(type(each) is not int or each < 0 for each in shape):
            raise ValueError("a shape that is none")
        dtype, count = _DTYPES[kind], math.prod(shape)
        end = start + count * dtype.itemsize
        if end > len(payload):
            raise ValueError("more tensors than bytes")
        tensors[name] = (
            torch.frombuffer(payload, dtype=dtype, count=count, offset=start).view(shape)
            if count
            else torch.empty(shape, dtype=dtype)
        )
        start = end + -end % _ALIGNED
    if start != len(payload):
        raise ValueError("bytes that are no tensor's")
    return tensors


def send(sock: socket.socket, frame: bytes, deadline: float | None = None) -> None:
    """Send one frame; `deadline` is on the monotonic clock. Raises Closed or TooSlow."""
    data = memoryview(frame)
    while data:
        try:
            if deadline is None:
                # Not `send`: sandlock looks at every call that may go out to the network.
                data = data[os.write(sock.fileno(), data) :]
            else:
                data = data[sock.send(data, socket.MSG_DONTWAIT) :]
        except BlockingIOError:
            _wait(sock, select.POLLOUT, deadline)
        except OSError as error:
            raise Closed from error


@dataclass(frozen=True)
class Frame:
    """One frame as it came, not yet read."""

    head_bytes: int
    body: bytearray

    @property
    def digest(self) -> bytes:
        """What tells it from every other frame."""
        return hashlib.sha256(_LENGTHS.pack(self.head_bytes, 0) + self.body).digest()

    def read(self) -> tuple[Header, Tensors]:
        """The header and the tensors, which lie in the frame's own memory. Raises WireError."""
        try:
            header = json.loads(self.body[: self.head_bytes].decode())
            about = header.pop("tensors", {}) if isinstance(header, dict) else {}
            tensors = _laid_out(about, self.body[self.head_bytes :])
        except Exception as error:  # whatever a parser says of hostile bytes, it is the same to us
            raise WireError(f"a frame that cannot be read: {error}") from error
        if not isinstance(header, dict):
            raise WireError("a header that is not an object")
        return header, tensors


class Incoming:
    """Reads frames from a socket. What has come of the next ones is kept, up to a chunk."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._there = bytearray()

    def receive(self, max_bytes: int, deadline: float | None = None) -> tuple[Header, Tensors]:
        """One frame of at most `max_bytes` of tensors, read. Raises WireError, Closed, TooSlow."""
        return self.frame(max_bytes, deadline).read()

    def frame(self, max_bytes: int, deadline: float | None = None) -> Frame:
        """The same, not yet read. Raises WireError when it is too large, Closed and TooSlow."""
        head_bytes, payload_bytes = _LENGTHS.unpack(self._exactly(_LENGTHS.size, deadline))
        if head_bytes > MAX_HEADER_BYTES:
            raise WireError(f"a header of {head_bytes} bytes; {MAX_HEADER_BYTES} are allowed")
        # What lies between tensors: a little for each
        if payload_bytes > max_bytes + MAX_HEADER_BYTES:
            raise WireError(f"{payload_bytes} bytes of tensors; {max_bytes} are allowed")
        return Frame(head_bytes, self._exactly(head_bytes + payload_bytes, deadline))

    def _exactly(self, count: int, deadline: float | None) -> bytearray:
        there = self._there
        while (lacking := count - len(there)) > 0:
            if deadline is not None:
                _wait(self._sock, select.POLLIN, deadline)
            try:
                # `read`, as `write` above: sandlock looks at every call of the network's.
                chunk = os.read(self._sock.fileno(), min(max(lacking, _CHUNK), 1 << 20))
            except OSError as error:
                raise Closed from error
            if not chunk:
                raise Closed
            there += chunk
        taken = there[:count]
        del there[:count]
        return taken


def _wait(sock: socket.socket, event: int, deadline: float | None) -> None:
    left_ms = None if deadline is None else (deadline - time.monotonic()) * 1000
    poll = select.poll()
    poll.register(sock, event)
    if (left_ms is not None and left_ms <= 0) or not poll.poll(left_ms):
        raise TooSlow


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

    def pack(self, value: Any, depth: int = 0) -> Header:
        """Describe `value`; what cannot travel becomes `odd`, never an error."""
        kind = type(value)
        if isinstance(value, torch.Tensor):
            return self._tensor(value)
        if value is None or kind is bool or (kind is int and abs(value) <= _LARGEST_INT):
            return {"plain": value}
        if kind is str:
            return {"plain": value[:_MAX_TEXT]}
        if kind is float:
            return {"float": repr(value)}
        if depth < _MAX_DEPTH:
            if isinstance(value, (tuple, list)) and len(value) <= _MAX_PARTS:
                name = "tuple" if isinstance(value, tuple) else "list"
                return {name: [self.pack(part, depth + 1) for part in value]}
            if kind in (dict, OrderedDict) and len(value) > _MAX_PARTS:
                return {"odd": f"a dict of {len(value):,} entries"}
            if kind in (dict, OrderedDict):
                return {"dict": [[str(k), self.pack(v, depth + 1)] for k, v in value.items()]}
        return _odd(value)

    def _tensor(self, value: torch.Tensor) -> Header:
        if type(value) not in (torch.Tensor, torch.nn.Parameter):
            return _odd(value)
        if value.is_nested:  # it has no shape
            return {"odd": "a nested tensor"}
        if value.dim() > _MAX_AXES:
            return {"odd": f"a tensor of {value.dim():,} axes"}
        shape, dtype = tuple(value.shape), str(value.dtype).removeprefix("torch.")
        if value.layout != torch.strided or value.is_quantized or dtype not in _DTYPES:
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


def unpack(part: Any, tensors: Tensors, depth: int = 0) -> Any:
    """Rebuild a value from its header part. Raises WireError on anything unexpected."""
    if depth > _MAX_DEPTH + 1 or not isinstance(part, dict) or not part:
        raise WireError("a value that is not described")
    try:
        if "tensor" in part:
            value, order = tensors[part["tensor"]], part["order"]
            if value.dim() > _MAX_AXES:
                raise WireError("a tensor of too many axes")
            if order != list(range(value.dim())):
                value = value.permute(sorted(range(len(order)), key=order.__getitem__))
            return value.requires_grad_(bool(part["grad"]))
        if "meta" in part:
            shape = part["meta"][:_MAX_AXES]
            return torch.empty(shape, dtype=_DTYPES[part["dtype"]], device="meta")
        if "tuple" in part:
            return tuple(unpack(each, tensors, depth + 1) for each in part["tuple"])
        if "list" in part:
            return [unpack(each, tensors, depth + 1) for each in part["list"]]
        if "dict" in part:
            return {str(k): unpack(v, tensors, depth + 1) for k, v in part["dict"]}
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
