"""Frames between the grader and a submission: a bounded JSON header, and the bytes of tensors.

A frame is two lengths (little endian: 4 bytes, 8 bytes), the header, the payload. The header says
what the values are (values.py), and under "tensors" {name: [dtype, shape]}; the tensors of these
names lie in the payload one after the other, each from a multiple of 8 bytes on. Nothing that
arrives is ever unpickled or evaluated. Whoever reads states how much may come and until when, so
that a hostile sender can neither fill the memory nor stall the reader.
"""

import hashlib
import json
import math
import os
import select
import socket
import struct
import time
from dataclasses import dataclass
from typing import Any

import torch

Header = dict[str, Any]
Tensors = dict[str, torch.Tensor]

_LENGTHS = struct.Struct("<IQ")
_AS_JSON = json.JSONEncoder(allow_nan=False).encode  # made once
MAX_HEADER_BYTES = 1 << 20
MAX_BYTES = 1 << 28  # of tensors, in a frame of the grader's
MAX_AXES = 64  # more than torch itself can compute with
_ALIGNED = 8  # bytes, from a multiple of which on each tensor lies
_CHUNK = 1 << 16  # bytes that are read at once, where there are as many
DTYPES = {
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
        if len(shape) > MAX_AXES or any(type(each) is not int or each < 0 for each in shape):
            raise ValueError("a shape that is none")
        dtype, count = DTYPES[kind], math.prod(shape)
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
