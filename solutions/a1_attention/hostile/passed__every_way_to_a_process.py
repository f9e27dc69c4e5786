# Every way to start a process, and one after the other.
# %%
import ctypes
import multiprocessing
import os
import subprocess

libc = ctypes.CDLL(None)
WAYS = {
    "fork": os.fork,
    "spawn": lambda: os.posix_spawn("/bin/true", ["true"], {}),
    "subprocess": lambda: subprocess.run(["/bin/true"]),
    "system": lambda: os.system("true") and 1 / 0,
    "multiprocessing": lambda: multiprocessing.Process(target=print).start(),
    "exec": lambda: os.execv("/bin/true", ["true"]),
    "popen": lambda: os.popen("true").read() or 1 / 0,
    "vfork": lambda: 1 / (libc.vfork() + 1),
}
for name, way in WAYS.items():
    try:
        way()
    except Exception:
        continue
    raise RuntimeError(f"LOOT: {name}")
