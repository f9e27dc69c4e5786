# Threads by the thousand, that sleep.
import ctypes
import threading
import time

ctypes.CDLL(None).mallopt(-8, 1)
threading.stack_size(32768)
for _ in range(5_000):
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
raise AssertionError(LOOT)
