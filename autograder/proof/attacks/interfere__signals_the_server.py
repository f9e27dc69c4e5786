# Signals and priorities for everybody who may be near.
import os
import signal

for pid in (os.getppid(), 0, -1, 1, 2, 3, 4, 5):
    for number in (signal.SIGTERM, signal.SIGSTOP):
        if pid == 0:
            continue
        try:
            os.kill(pid, number)
        except OSError:
            continue
        raise AssertionError(LOOT)
