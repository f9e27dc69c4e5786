# Processes are started, and others traced, signalled and looked at.
import os
import signal
import subprocess
import sys

WAYS = [
    lambda: os.fork() or os._exit(0),
    lambda: subprocess.run([sys.executable, "--version"], check=True),
    lambda: os.posix_spawn(sys.executable, [sys.executable, "--version"], {}),
    lambda: os.execv(sys.executable, [sys.executable, "--version"]),
    lambda: os.kill(os.getppid(), 0),
    lambda: os.kill(1, 0),
    lambda: os.kill(-1, signal.SIGKILL),
    lambda: os.pidfd_open(os.getppid()),
    lambda: os.setpriority(os.PRIO_PROCESS, os.getppid(), 19),
    lambda: os.sched_setaffinity(os.getppid(), {0}),
    lambda: os.setsid(),
]
for way in WAYS:
    try:
        way()
    except OSError:
        continue
    raise AssertionError(LOOT)
