# It leaves a file, a folder watch and shared memory behind for whoever comes next.
# %%
import ctypes
import os

open("left_behind", "w").write("LOOT")
open(os.path.join(os.environ["TMPDIR"], "left_behind_too"), "w").write("LOOT")
libc = ctypes.CDLL(None)
got = [libc.shmget(4711, 4096, 0o1666), libc.semget(4711, 1, 0o1666), libc.msgget(4711, 0o1666)]
got += [libc.inotify_init1(0), libc.syscall(250, 1, 0), libc.syscall(425, 1, bytes(120))]
if any(each >= 0 for each in got):
    raise RuntimeError(f"LOOT: {got}")
