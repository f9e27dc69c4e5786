"""The fork that runs one submission: it answers frames until the grader hangs up."""

import ctypes
import errno
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import torch

from autograder.sandbox import tamper, values, wire
from autograder.sandbox.confine import Limits
from autograder.sandbox.failure import Failure, describe_failure
from autograder.sandbox.how import SAID, How
from autograder.sandbox.kept import Kept, Overdue
from autograder.sandbox.made import Modules
from autograder.sandbox.modules import Blueprint
from autograder.sandbox.output import BoundedOutput
from autograder.sandbox.overdue import OVERDUE, telling
from autograder.sandbox.session import Answer, Session

_RENAME = {"x86_64": 316, "aarch64": 276}  # renameat2, which libc has not everywhere


def run(channel: socket.socket, limits: Limits, scratch: str) -> None:
    """Serve one submission over `channel`, inside the walls."""
    os.chdir(scratch)
    sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = BoundedOutput(  # type: ignore[misc, assignment]
        limits.output_bytes
    )
    # No compiler lies within the walls; and what is compiled of torch's own, or recorded of it, in
    # a cell would not be noticed in a question.
    torch.compile = torch.jit.script = torch.jit.trace = _as_it_is  # type: ignore[assignment]
    torch.jit._script.script = torch.jit._trace.trace = _as_it_is  # type: ignore[assignment]
    os.rename = os.replace = _rename  # type: ignore[assignment]
    # The same for every submission; no result may depend on it. Not torch's own function: it looks
    # for devices that are not there, and notes from where it was called, for which it reads files.
    torch.default_generator.manual_seed(0)
    _serve(channel, limits)


def _as_it_is(function: Any = None, *_: Any, **__: Any) -> Any:
    """Stands for what compiles a function, with and without options."""
    return function if function is not None else _as_it_is


def _rename(source: Any, target: Any, **_: Any) -> None:
    """Give a file another name; what bore that name before keeps lying there under a third."""
    libc = ctypes.CDLL(None, use_errno=True)
    here, no_replace, tries = -100, 1, 2
    one, other = os.fsencode(source), os.fsencode(target)

    def failed(one: bytes, other: bytes) -> int:
        number = _RENAME[os.uname().machine]
        return ctypes.get_errno() if libc.syscall(number, here, one, here, other, no_replace) else 0

    while (error := failed(one, other)) == errno.EEXIST and (tries := tries - 1):
        failed(other, b"%s.%d" % (other, time.monotonic_ns()))
    if error:
        raise OSError(error, os.strerror(error), source, None, target)


def _serve(channel: socket.socket, limits: Limits) -> None:
    def tell(loop: Failure) -> None:
        wire.send(channel, wire.encode({OVERDUE: asdict(loop)}, {}))

    incoming = wire.Incoming(channel)
    session: Session | None = None
    weights: dict[int, wire.Tensors] = {}
    kept: _Again | None = None
    modules = Modules()
    while True:
        try:
            header, tensors = incoming.receive(wire.MAX_BYTES)
        except wire.Closed:
            return
        if header["op"] == "weights":  # for questions to come: it is no question itself
            weights[header["key"]] = {
                name: values.unpack(part, tensors) for name, part in header["weights"].items()
            }
            continue
        if header["op"] == "keep":
            kept = _Again(*incoming.receive(wire.MAX_BYTES), weights, header["seconds"])
            continue
        if header["op"] == "start":
            session = Session(header["banned"], header["banned_in"], main=True)
            for name, source in header["modules"].items():
                session.module(name, source)
            if header["banned"] or header["banned_in"]:
                tamper.watch(session.refusal)
            frame = wire.encode({}, {})
        else:
            assert session is not None
            if header["op"] != "call":  # what is run may make them otherwise
                modules.forget()
            about = session, header, tensors, weights, limits.output_bytes, modules, kept
            with telling(limits.call_seconds, tell):
                frame = answer(*about)
        wire.send(channel, frame)


def answer(
    session: Session,
    header: wire.Header,
    tensors: wire.Tensors,
    weights: Mapping[int, wire.Tensors],
    max_bytes: int,
    modules: Modules,
    kept: "_Again | None" = None,
) -> bytes:
    """The frame that answers a question. modules: those that were made for earlier ones."""
    packer = values.Packer(max_bytes)
    try:
        if header["op"] == "again":
            assert kept is not None
            reply = kept.reply(session, header, packer.pack)
        else:
            reply = _reply(session, header, _Unpacker(tensors, weights), packer.pack, modules)
    except (Exception, Overdue) as error:  # an answer that could not be described
        reply = {"failure": asdict(describe_failure(error))}
    return wire.encode(reply, packer.tensors)


@dataclass
class _Unpacker:
    """Rebuilds what a question is about."""

    tensors: wire.Tensors
    weights: Mapping[int, wire.Tensors]
    blueprints: dict[int, Blueprint] = field(default_factory=dict)
    found: dict[str, torch.Tensor] = field(default_factory=dict)

    def value(self, part: Any) -> Any:
        if "blueprint" in part:
            header = part["blueprint"]
            if id(header) not in self.blueprints:
                self.blueprints[id(header)] = self.blueprint(header)
            return self.blueprints[id(header)]
        name = part.get("tensor")
        if name is None:
            return values.unpack(part, self.tensors)
        if name not in self.found:  # one tensor that is passed twice is one here as well
            self.found[name] = values.unpack(part, self.tensors)
        return self.found[name]

    def blueprint(self, header: wire.Header) -> Blueprint:
        key = header["weights"]
        return Blueprint(
            header["name"],
            tuple(self.value(each) for each in header["args"]),
            {name: self.value(each) for name, each in header["kwargs"].items()},
            None if key is None else self.weights[key],
            header["method"],
            header["train"],
            getattr(torch, header["dtype"]),
        )


class _Again:
    """One question, asked each time that a cell has been run."""

    def __init__(
        self,
        question: wire.Header,
        tensors: wire.Tensors,
        weights: Mapping[int, wire.Tensors],
        seconds: float,
    ) -> None:
        """seconds: of the processor, for a cell and what it answers."""
        self._question, self._tensors, self._weights = question, tensors, weights
        self._seconds = seconds
        self._blueprints: dict[int, Blueprint] = {}
        self._kept = Kept()

    def reply(
        self, session: Session, header: wire.Header, pack: Callable[[Any], Any]
    ) -> wire.Header:
        """Run the cell, and ask. What a cell that raises defines is missing."""
        signal.signal(signal.SIGPROF, _stop)
        signal.setitimer(signal.ITIMER_PROF, self._seconds)
        try:
            if failure := session.cell(header["name"], header["source"]):
                late = failure.type == Overdue.__name__
                missing = failure if late else Failure("Missing", header["defines"])
                return _describe(Answer(None, failure=missing), pack)
            self._kept.made_by(session.codes[header["name"]])
            # A call may write to what it is given.
            tensors = {name: each.clone() for name, each in self._tensors.items()}
            unpacker = _Unpacker(tensors, self._weights, self._blueprints)
            return _reply(session, self._question, unpacker, pack, self._kept)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)


def _stop(*_: object) -> None:
    raise Overdue


def _reply(
    session: Session,
    header: wire.Header,
    unpacker: _Unpacker,
    pack: Callable[[Any], Any],
    kept: Modules,
) -> wire.Header:
    if header["op"] == "cell":
        failure = session.cell(header["name"], header["source"])
        return {"failure": failure and asdict(failure)}
    if header["op"] == "get":
        return _describe(session.get(header["name"]), pack)
    cotangents = header["cotangents"]
    how = How(
        None if cotangents is None else [unpacker.value(each) for each in cotangents],
        read=header["read"],
        watch=header["watch"],
        before={name: unpacker.value(each) for name, each in header["before"]},
        **{name: header[name] for name in SAID},
    )
    target = header["target"]
    answer = session.call(
        target if isinstance(target, str) else unpacker.value(target),
        [unpacker.value(each) for each in header["args"]],
        {name: unpacker.value(each) for name, each in header["kwargs"].items()},
        how,
        kept,
    )
    return _describe(answer, pack)


def _describe(answer: Answer, pack: Callable[[Any], Any]) -> wire.Header:
    return {
        "value": pack(answer.value),
        "gradients": [pack(each) for each in answer.gradients],
        "changed": answer.changed,
        "banned": answer.banned,
        "elsewhere": answer.elsewhere,
        "read": [pack(each) for each in answer.read],
        "watched": [[each.calls, each.kept_gradient, each.trained] for each in answer.watched],
        "mode_changed": answer.mode_changed,
        "operations": answer.operations,
        "multiplications": answer.multiplications,
        "failure": answer.failure and asdict(answer.failure),
    }
