# The server's memory, by ptrace, process_vm_writev and /proc.
# %%
import ctypes
import os

libc = ctypes.CDLL(None)
server = os.getppid()
attach, read, write = 16, 310, 311
got = [libc.ptrace(attach, server, 0, 0), libc.syscall(read, server, 0, 0, 0, 0, 0)]
got.append(libc.syscall(write, server, 0, 0, 0, 0, 0))
try:
    open(f"/proc/{server}/mem", "rb+")
    got.append(0)
except OSError:
    pass
if any(each >= 0 for each in got):
    raise RuntimeError(f"LOOT: {got}")
