# Signals to the server, to init and to all. Number 0 kills nobody, and needs the same leave.
# %%
import ctypes
import fcntl
import os
import signal
import socket

libc = ctypes.CDLL(None)
got = []
for target in (os.getppid(), 1, -1, -os.getppid()):
    for name, send in {
        "kill": lambda: os.kill(target, 0),
        "rt_sigqueueinfo": lambda: libc.syscall(129, target, 0, bytes(128)) and os.kill(target, 0),
        "pidfd": lambda: signal.pidfd_send_signal(os.pidfd_open(target), 0),
    }.items():
        try:
            send()
        except (OSError, OverflowError):
            continue
        got.append((name, target))
if got:
    raise RuntimeError(f"LOOT: {got}")
# And one that is meant: by way of a descriptor whose owner is said to be the server.
ours, theirs = socket.socketpair()
fcntl.fcntl(ours, 8, os.getppid())  # F_SETOWN
fcntl.fcntl(ours, 10, signal.SIGKILL)  # F_SETSIG
fcntl.fcntl(ours, fcntl.F_SETFL, os.O_ASYNC)
theirs.send(b"x")
