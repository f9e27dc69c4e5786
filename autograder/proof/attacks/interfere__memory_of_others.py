# Memory, queues and locks that processes share by name.
import os
import ctypes

libc = ctypes.CDLL(None, use_errno=True)

for name in ("shm_open", "sem_open", "mq_open"):
    call = getattr(libc, name, None)
    if call and call(b"/mine", os.O_CREAT | os.O_RDWR, 0o600, 1) > 0:
        raise AssertionError(LOOT)
