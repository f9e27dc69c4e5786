"""The trusted side of the sandbox: a server behind walls, and a fork of it for each submission."""

import contextlib
import json
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from autograder.sandbox import walls, wire
from autograder.sandbox.confine import Limits
from autograder.sandbox.folder import Folder
from autograder.sandbox.overdue import OVERDUE

_START_SECONDS = 120
_END_SECONDS = 10
_PACKET = 1 << 16


class ServerFailed(Exception):
    """The server did not start, or ended; never the submission's doing."""


@dataclass(frozen=True)
class Outcome:
    """How a fork ended: what was seen, no judgement."""

    reason: str | None  # "killed", "files"; None: it ended by itself
    exit: int | None
    signal: int | None
    cpu_seconds: float
    peak_mib: float


class ForkEnded(Exception):
    """The submission's process is gone."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(str(outcome))
        self.outcome = outcome


class ForkTooSlow(Exception):
    """No answer in time; the fork has been ended.

    loop: what it said of the loop that it was in, if it said anything.
    """

    def __init__(self, loop: object = None) -> None:
        super().__init__()
        self.loop = loop


class Server:
    """One server behind walls; forks one submission at a time. Use as a context manager."""

    def __init__(self, wall: str, limits: Limits) -> None:
        self.wall = wall
        self.limits = limits
        self._held = Folder()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    @property
    def _folder(self) -> Path:
        return self._held.path

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Start the server if it does not run. Raises ServerFailed with what it said."""
        if self._control is not None:
            return
        folder = self._folder
        walls.copy_worker(folder)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        log = open(folder / "log", "w+b")  # noqa: SIM115 # the server's, as long as it runs
        with theirs, log:
            self._process = subprocess.Popen(
                walls.command(self.wall, folder, self.limits.processes),
                stdin=theirs.fileno(),
                stdout=log,
                stderr=log,
                env={},
            )
        self._control = ours
        ready = self._receive(_START_SECONDS)
        if not (ready or {}).get("ready"):
            said = (folder / "log").read_text(errors="replace").strip()
            self._stop()
            raise ServerFailed(f"the {self.wall} server did not start: {said[-2000:] or 'no word'}")

    @contextlib.contextmanager
    def fork(self) -> Iterator["Fork"]:
        """A fresh process for one submission; at the end nothing of it is left."""
        self.start()
        ours, theirs = socket.socketpair()
        message = json.dumps({"op": "fork", "limits": asdict(self.limits)}).encode()
        with ours, theirs:
            try:
                socket.send_fds(self._must_run(), [message], [theirs.fileno()])
            except OSError as error:
                self._stop()
                raise ServerFailed("the server has ended") from error
            theirs.close()
            fork = Fork(self, ours)
            try:
                yield fork
            finally:
                if not fork.ended:
                    ours.close()
                    self.end_fork(kill_after=1.0)

    def end_fork(self, kill_after: float) -> Outcome:
        """Wait for the fork's end, and kill it when that takes too long."""
        control = self._must_run()
        message = self._receive(kill_after)
        if message is None:
            with contextlib.suppress(OSError):
                control.send(json.dumps({"op": "kill"}).encode())
            message = self._receive(_END_SECONDS)
        if not message:
            self._stop()
            raise ServerFailed("the server has ended while a submission ran")
        if not message["clean"]:
            self.renew()
        return Outcome(**message["outcome"])

    def close(self) -> None:
        """End the server and remove its folder."""
        self._stop()
        self._held.remove()

    def renew(self) -> None:
        """End the server, with all that was left there: the next one starts afresh."""
        self.close()
        self._held = Folder()

    def _stop(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._process is not None:
            try:
                self._process.wait(2)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None

    def _must_run(self) -> socket.socket:
        if self._control is None:
            raise ServerFailed("the server has ended")
        return self._control

    def _receive(self, seconds: float) -> dict[str, Any] | None:
        """One control message; None when none came in time, {} when the server is gone."""
        control = self._must_run()
        control.settimeout(seconds)
        try:
            packet = control.recv(_PACKET)
        except TimeoutError:
            return None
        except OSError:
            return {}
        finally:
            control.settimeout(None)
        return json.loads(packet) if packet else {}


class Fork:
    """One submission's process, by its socket."""

    def __init__(self, server: Server, channel: socket.socket) -> None:
        self._server = server
        self._channel = channel
        self._incoming = wire.Incoming(channel)
        self._stuck = False
        self.ended = False

    def send(self, frame: bytes) -> None:
        """Send one frame. That the other side is gone, or stuck, shows when its answer is read."""
        if self._stuck:
            return
        try:
            wire.send(self._channel, frame, time.monotonic() + self._server.limits.call_seconds)
        except wire.Closed:
            pass
        except wire.TooSlow:  # it may still answer, but not to what it has been asked
            self._stuck = True

    def receive(self, seconds: float) -> tuple[wire.Header, wire.Tensors]:
        """Wait for the next answer at most `seconds`, and read it.

        Raises ForkEnded, ForkTooSlow, and WireError for an answer that is none.
        """
        return self.read(self.hear(seconds))

    def hear(self, seconds: float) -> wire.Frame:
        """The same, not yet read. Raises the same."""
        deadline = time.monotonic() + (0.0 if self._stuck else seconds)
        try:
            return self._incoming.frame(self._server.limits.output_bytes, deadline)
        except wire.Closed:
            self.ended = True
            raise ForkEnded(self._server.end_fork(kill_after=1.0)) from None
        except wire.TooSlow:
            outcome = self._end()
            raise (
                ForkEnded(outcome) if outcome and outcome.reason == "files" else ForkTooSlow
            ) from None
        except wire.WireError:
            self._end()
            raise

    def read(self, frame: wire.Frame) -> tuple[wire.Header, wire.Tensors]:
        """What an answer says. Raises WireError for one that is none, and ends the fork.

        Raises ForkTooSlow where it says what kept it from giving one in time.
        """
        try:
            header, tensors = frame.read()
        except wire.WireError:
            self._end()
            raise
        if OVERDUE in header:
            self._end()
            raise ForkTooSlow(header[OVERDUE])
        return header, tensors

    def _end(self) -> Outcome | None:
        if self.ended:
            return None
        self.ended = True
        return self._server.end_fork(kill_after=0.001)
