"""The walls from outside: which there are, a server behind them, a fork for each submission.

Inside the walls: no network, no readable file but Python, its packages and the worker's own
folder, no writable file but a scratch folder, an empty environment, no view of other processes.
The folder holds copies of this package alone; the grader, its checks, the course and the class
are not to be found in there, wherever the grader is installed.
"""

import contextlib
import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from autograder.sandbox import confine, wire
from autograder.sandbox.confine import Limits

WALLS = ("sandlock", "bubblewrap", "none")
_START_SECONDS = 120
_END_SECONDS = 10
_PACKET = 1 << 16
_PRELOAD = ("numpy", "matplotlib.pyplot", "math", "random")
_COPIED = ("__init__", "confine", "elsewhere", "fork", "server", "session", "wire")


class NoWalls(Exception):
    """This machine offers no walls; the message says what to install."""


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
    """No answer in time; the fork has been ended."""


def why_not(wall: str) -> str | None:
    """What keeps `wall` from standing on this machine, or None; says what to do about it."""
    if wall == "none":
        return None
    if sys.platform != "linux":
        return "it needs Linux; grade in a Linux virtual machine or container"
    if not confine.knows_this_machine():
        return "its call filter knows x86-64 and 64-bit Arm only"
    if wall == "bubblewrap":
        if not shutil.which("bwrap"):
            return "bwrap is not installed (Debian, Ubuntu, Fedora: the package bubblewrap)"
        trial = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"]
        tried = subprocess.run(trial, capture_output=True, text=True)
        if tried.returncode:
            return f"bwrap does not work here: {tried.stderr.strip()}"
        return None
    if importlib.util.find_spec("sandlock") is None:
        return "the Python package sandlock is not installed"
    import sandlock

    have, need = sandlock.landlock_abi_version(), sandlock.min_landlock_abi()
    if have < need:
        return f"the kernel has Landlock version {have}, sandlock needs {need} (Linux 6.12)"
    return None


def choose() -> str:
    """The best walls that this machine offers. Raises NoWalls with what to install."""
    reasons = []
    for wall in ("sandlock", "bubblewrap"):
        reason = why_not(wall)
        if reason is None:
            return wall
        reasons.append(f"  {wall}: {reason}")
    raise NoWalls(
        "student code may not run here, because no walls can be put around it:\n"
        + "\n".join(reasons)
        + "\nInstall one of them, or accept the risk with --no-sandbox."
    )


class Server:
    """One server behind walls; forks one submission at a time. Use as a context manager."""

    def __init__(self, wall: str, limits: Limits) -> None:
        self.wall = wall
        self.limits = limits
        self._folder = Path(tempfile.mkdtemp(prefix="autograder-"))
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Start the server if it does not run. Raises ServerFailed with what it said."""
        if self._control is not None:
            return
        scratch = self._folder / "scratch"
        scratch.mkdir(exist_ok=True)
        self._copy_worker()
        confined = self.wall != "none"
        config = {
            "scratch": "/scratch" if self.wall == "bubblewrap" else str(scratch),
            "confined": confined,
            "landlock": self.wall == "sandlock",
            "preload": (*_PRELOAD, "sandlock") if self.wall == "sandlock" else _PRELOAD,
        }
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        log = open(self._folder / "log", "w+b")  # noqa: SIM115 # the server's, as long as it runs
        with theirs, log:
            self._process = subprocess.Popen(
                self._command(config, scratch),
                stdin=theirs.fileno(),
                stdout=log,
                stderr=log,
                env={},
            )
        self._control = ours
        ready = self._receive(_START_SECONDS)
        if not (ready or {}).get("ready"):
            said = (self._folder / "log").read_text(errors="replace").strip()
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
        return Outcome(**message["outcome"])

    def close(self) -> None:
        """End the server and remove its folder."""
        self._stop()
        shutil.rmtree(self._folder, ignore_errors=True)

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

    def _copy_worker(self) -> None:
        target = self._folder / "worker" / "autograder" / "sandbox"
        target.mkdir(parents=True, exist_ok=True)
        (target.parent / "__init__.py").write_text("")
        for name in _COPIED:
            shutil.copy(Path(__file__).with_name(f"{name}.py"), target)
        # Links, each of which must lead to something readable: so that the folder of all
        # packages, the grader's among them, need not be.
        packages = self._folder / "worker" / "packages"
        if not packages.exists():
            packages.mkdir()
            for name, path in _packages().items():
                (packages / name).symlink_to(path)

    def _command(self, config: dict[str, Any], scratch: Path) -> list[str]:
        worker = self._folder / "worker"
        inside = "/worker" if self.wall == "bubblewrap" else str(worker)
        path = [inside, f"{inside}/packages"]
        boot = f"import sys; sys.path += {path}; from autograder.sandbox.server import main; main()"
        interpreter = os.path.realpath(sys.executable)
        python = [interpreter, "-I", "-S", "-B", "-c", boot, json.dumps(config)]
        environment = {
            "HOME": config["scratch"],
            "TMPDIR": config["scratch"],
            "MPLBACKEND": "agg",
            "MPLCONFIGDIR": config["scratch"],
            "OMP_NUM_THREADS": "1",
            "LC_ALL": "C.UTF-8",
        }
        readable = _readable()
        if self.wall == "sandlock":
            walls = {
                "readable": [*readable, str(worker)],
                "scratch": str(scratch),
                "environment": environment,
                "processes": self.limits.processes,
            }
            launch = Path(__file__).with_name("launch.py")
            return [sys.executable, "-I", str(launch), json.dumps(walls), *python]
        if self.wall == "bubblewrap":
            return [*_bubblewrap(readable, environment, worker), *python]
        variables = (f"{name}={value}" for name, value in environment.items())
        return [shutil.which("env") or "/usr/bin/env", *variables, *python]


def _bubblewrap(readable: list[str], environment: dict[str, str], worker: Path) -> list[str]:
    command = [shutil.which("bwrap") or "bwrap", "--unshare-all", "--unshare-user"]
    command += ["--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL"]
    command += ["--uid", "65534", "--gid", "65534", "--hostname", "sandbox"]
    for each in readable:
        command += ["--ro-bind-try" if not os.path.islink(each) else "--ro-bind", each, each]
    command += ["--dev-bind", os.devnull, os.devnull, "--dev-bind", "/dev/urandom", "/dev/urandom"]
    command += ["--ro-bind", str(worker), "/worker", "--size", str(1 << 28), "--tmpfs", "/scratch"]
    command += ["--remount-ro", "/"]
    for name, value in environment.items():
        command += ["--setenv", name, value]
    return [*command, "--chdir", "/scratch", "--"]


def _packages() -> dict[str, Path]:
    """What is installed beside the grader, by name; as on sys.path, the first one counts."""
    found: dict[str, Path] = {}
    for folder in map(Path, reversed(sys.path)):
        if folder.name in ("site-packages", "dist-packages"):
            found |= {entry.name: entry for entry in folder.iterdir()}
    return {
        name: path
        for name, path in found.items()
        if "autograder" not in name and path.suffix != ".pth"
    }


def _readable() -> list[str]:
    """Python, its libraries and its packages; never the grader, however it was installed."""
    system = {Path(each) for each in ("/usr/lib", "/lib", "/lib64", "/etc/ld.so.cache")}
    system |= {Path("/dev/urandom"), Path("/usr/share/zoneinfo")}
    system |= {Path(os.path.realpath(sys.executable))}
    system |= {Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")}
    system |= {*Path(sys.base_prefix).glob("lib/libpython3*.so*")}
    readable = sorted(path for path in (*system, *_packages().values()) if path.exists())
    grader = Path(__file__).resolve().parents[1]
    if any(grader.is_relative_to(path.resolve()) for path in readable):
        raise NoWalls(
            f"the grader lies where submissions may read: {grader}\n"
            "Install it into a virtual environment of its own (python3 -m venv .venv)."
        )
    return [str(path) for path in readable]


class Fork:
    """One submission's process, by its socket."""

    def __init__(self, server: Server, channel: socket.socket) -> None:
        self._server = server
        self._channel = channel
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
        """Wait for the next answer at most `seconds`.

        Raises ForkEnded, ForkTooSlow, and WireError for an answer that is none.
        """
        deadline = time.monotonic() + (0.0 if self._stuck else seconds)
        try:
            return wire.receive(self._channel, self._server.limits.output_bytes, deadline)
        except wire.Closed:
            self.ended = True
            raise ForkEnded(self._server.end_fork(kill_after=1.0)) from None
        except wire.TooSlow:
            self.ended = True
            self._server.end_fork(kill_after=0.001)
            raise ForkTooSlow from None
        except wire.WireError:
            self.ended = True
            self._server.end_fork(kill_after=0.001)
            raise
