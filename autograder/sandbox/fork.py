"""The fork that runs one submission: it answers frames until the grader hangs up."""

import os
import socket
import sys
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import torch

from autograder.sandbox import wire
from autograder.sandbox.confine import Limits, confine
from autograder.sandbox.session import Answer, BoundedOutput, Session, describe_failure


def run(
    channel: socket.socket, allowed: dict[str, Any], scratch: str, walls: dict[str, bool]
) -> None:
    """Confine this process, then serve one submission over `channel`.

    allowed: the fields of Limits; walls: "confined" (all of the fork's own walls) and
    "landlock" (the file wall among them).
    """
    limits = Limits(**allowed)
    if walls["confined"]:
        confine(limits, scratch, landlock=walls["landlock"])
    os.chdir(scratch)
    sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = BoundedOutput(  # type: ignore[misc, assignment]
        limits.output_bytes
    )
    torch.manual_seed(0)  # the same for every submission; no result may depend on it
    _serve(channel, limits.output_bytes)


def _serve(channel: socket.socket, max_bytes: int) -> None:
    session: Session | None = None
    while True:
        try:
            header, tensors = wire.receive(channel, wire.MAX_BYTES)
        except wire.Closed:
            return
        packer = wire.Packer(max_bytes)
        if header["op"] == "start":
            session = Session(header["banned"], main=True)
            for name, source in header["modules"].items():
                session.module(name, source)
            reply: wire.Header = {}
        else:
            assert session is not None
            try:
                reply = _reply(session, header, tensors, packer.pack)
            except Exception as error:  # an answer that could not be described
                reply = {"failure": asdict(describe_failure(error))}
        wire.send(channel, wire.encode(reply, packer.tensors))


def _reply(
    session: Session, header: wire.Header, tensors: wire.Tensors, pack: Callable[[Any], Any]
) -> wire.Header:
    if header["op"] == "cell":
        failure = session.cell(header["name"], header["source"])
        return {"failure": failure and asdict(failure)}
    if header["op"] == "get":
        answer = session.get(header["name"])
    else:
        cotangents = header["cotangents"]
        answer = session.call(
            header["name"],
            [wire.unpack(each, tensors) for each in header["args"]],
            {name: wire.unpack(each, tensors) for name, each in header["kwargs"].items()},
            None if cotangents is None else [wire.unpack(each, tensors) for each in cotangents],
            header["elsewhere"],
        )
    return _describe(answer, pack)


def _describe(answer: Answer, pack: Callable[[Any], Any]) -> wire.Header:
    return {
        "value": pack(answer.value),
        "gradients": [pack(each) for each in answer.gradients],
        "changed": answer.changed,
        "banned": answer.banned,
        "elsewhere": answer.elsewhere,
        "failure": answer.failure and asdict(answer.failure),
    }
