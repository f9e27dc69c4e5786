"""The server inside the walls: imports torch once, then forks for each submission.

Behind plain it stands in the open itself, as a user of its own where it was started as root: it
makes the rules of the file wall, and each child takes them before it runs anything.

Theory of operation. Standard input is a socket to the grader on which each message is one
packet. A packet "fork" carries limits and one end of a fresh socket pair: the server forks, the
child keeps that socket alone and talks to the grader over it (see fork.py), and the server
watches the child. When the child ends, or a packet "kill" comes, or it writes more than it may,
the server makes sure that nothing of it is left (no process, no file) and reports how it ended.
One child at a time. End of file on the control socket ends the server, and so does a file that
cannot be removed: no other submission shall find it.
"""

import contextlib
import ctypes
import gc
import importlib
import itertools
import json
import os
import select
import signal
import socket
import sys
from collections.abc import Iterator
from typing import Any

from autograder.sandbox import imports, landlock, pages
from autograder.sandbox.confine import Limits, address_space, confine
from autograder.sandbox.emptied import empty

_PACKET = 1 << 16
_WATCH_MS = 50
_BLOCK_BYTES = 4096  # what each file and folder takes, so that their number is bounded too
_MAX_DEPTH = 100
# What is opened gets the least number that is free; as many as a process may have can be a thousand
# million, each of which some Pythons close by itself.
_MOST_OPEN = 1024
_FORKS = 10  # after which it pays to have large pages


def main() -> None:
    """Serve until the control socket closes. The one argument is the server's configuration."""
    config = json.loads(sys.argv[1])
    scratch: str = config["scratch"]
    if config["user"] is not None:
        _become(config["user"])
    rules = landlock.rules(**config["rules"]) if config["rules"] else None
    if config["alone"] and not _alone():
        sys.exit("the walls leak: a process outside them can be signalled")
    if config["trial"]:
        _try_a_fork(rules)
        return
    control = socket.socket(fileno=0)

    gc.disable()  # of what is imported, nothing is garbage
    imports.leave_paths_as_they_are()
    with imports.looking_once():
        import torch

        from autograder.sandbox import fork, warm

        for name in config["preload"]:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
    if config["confined"]:
        be_reaper = 36  # orphans of a submission become ours to wait for
        ctypes.CDLL(None).prctl(be_reaper, 1, 0, 0, 0)

    torch.set_num_threads(1)  # a fork has only the thread that forked
    warm.up()
    if not empty(scratch):
        sys.exit(f"{scratch} cannot be emptied")
    gc.enable()
    gc.collect()
    pages.close_gaps()
    large = pages.around_objects()
    gc.freeze()  # no fork shall walk over all that was imported, and so copy it
    space = address_space()
    control.send(json.dumps({"ready": True, "torch": str(torch.__version__)}).encode())

    nothing, prctl = os.open(os.devnull, os.O_RDWR), ctypes.CDLL(None).prctl
    for forks in itertools.count():
        if forks == _FORKS:
            pages.make_large(large)
        packet, fds, _, _ = socket.recv_fds(control, _PACKET, 1)
        if not packet:
            return
        message = json.loads(packet)
        if message["op"] != "fork":
            continue  # a "kill" that crossed with the end of its child
        child = os.fork()
        if child == 0:
            when_we_die = 1  # PR_SET_PDEATHSIG: whoever is left alone is ended
            prctl(when_we_die, int(signal.SIGKILL), 0, 0, 0)
            os.setsid()
            for fd in (0, 1, 2):  # 0 was the control socket
                os.dup2(nothing, fd)
            _close_all_but(fds[0], *([] if rules is None else [rules]))
            code = 70  # whatever goes wrong before the student's code runs is ours
            try:
                channel = socket.socket(fileno=fds[0])
                limits = Limits(**message["limits"])
                if config["confined"]:
                    confine(limits, rules, space)
                fork.run(channel, limits, scratch)
                code = 0
            finally:
                os._exit(code)
        os.close(fds[0])
        outcome = _watch(child, control, scratch, message["limits"]["output_bytes"])
        if message["limits"]["processes"] > 1 and config["confined"]:
            _sweep()
        clean = empty(scratch)
        control.send(json.dumps({"outcome": outcome, "clean": clean}).encode())
        if not clean:
            return


def _close_all_but(*kept: int) -> None:
    """Close what this process holds open beside the first three: torch may have opened a file."""
    for low, high in itertools.pairwise([2, *sorted(kept), _MOST_OPEN]):
        os.closerange(low + 1, high)


def _become(user: int) -> None:
    """Be this user and nobody else: in no group, and without a privilege."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def _try_a_fork(rules: int | None) -> None:
    """Raise a fork's walls around this process, and see that they hold."""
    confine(Limits(1, 1, 64, 1, 1), rules, address_space())
    try:
        socket.socket()
    except PermissionError:
        return
    sys.exit("the walls leak: a socket can be had")


def _watch(child: int, control: socket.socket, scratch: str, max_bytes: int) -> dict[str, Any]:
    """Wait for the child's end, and bring it about on request. Returns the outcome."""
    reason = None
    end = os.pidfd_open(child)
    poll = select.poll()
    poll.register(end, select.POLLIN)
    poll.register(control, select.POLLIN)
    while reason is None and end not in (ready := dict(poll.poll(_WATCH_MS))):
        if control.fileno() in ready:
            reason = "killed" if control.recv(_PACKET) else "abandoned"
        # Also where its time is over: on a busy machine we may not have looked before.
        if reason != "abandoned" and _too_much(scratch, max_bytes):
            reason = "files"
    if reason:
        os.kill(child, signal.SIGKILL)
    _, status, usage = os.wait4(child, 0)
    os.close(end)
    return {
        "reason": reason,
        "exit": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "peak_mib": usage.ru_maxrss / 1024,
    }


def _sweep() -> None:
    """End what the child left running: inside the walls, everything but the server."""
    while True:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(-1, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _alone() -> bool:
    """Whether no process outside the walls can be signalled: only then may we signal all."""
    if os.getppid() <= 1:
        return os.getpid() < 10  # a process namespace of our own
    try:
        os.kill(os.getppid(), 0)
    except PermissionError:
        return True
    return False


def _entries(folder: str) -> Iterator["os.DirEntry[str] | None"]:
    """What lies in a folder; None where its owner closes it again and again."""
    try:
        yield from os.scandir(folder)
    except PermissionError:
        yield None


def _too_much(scratch: str, max_bytes: int) -> bool:
    """Whether more lies in the folder than may. Ends soon, whatever lies there.

    A file by itself ends at its own limit, which is as much: whose writing fails there goes on, and
    is not ended at some later question.
    """
    left, waiting = max_bytes + _BLOCK_BYTES, [(scratch, 0)]
    while waiting:
        folder, depth = waiting.pop()
        with contextlib.suppress(OSError):  # its owner may be at work
            if not os.access(folder, os.R_OK | os.X_OK):
                os.chmod(folder, 0o700)  # nothing may be hidden by closing it
            for entry in _entries(folder):
                if entry is None:
                    return True
                left -= _BLOCK_BYTES
                if left < 0 or depth > _MAX_DEPTH:
                    return True
                left -= entry.stat(follow_symlinks=False).st_size
                if entry.is_dir(follow_symlinks=False):
                    waiting.append((entry.path, depth + 1))
    return left < 0


if __name__ == "__main__":
    main()
