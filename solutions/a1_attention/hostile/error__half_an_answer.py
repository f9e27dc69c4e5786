# It sends half an answer and waits.
# fails: causal_mask, masks_together
# %%
import json
import os
import stat
import struct


def is_socket(fd):
    try:
        return stat.S_ISSOCK(os.fstat(fd).st_mode)
    except OSError:
        return False


CHANNEL = next(fd for fd in range(64) if is_socket(fd))


def send(header, payload=b""):
    head = header if isinstance(header, bytes) else json.dumps(header).encode()
    os.write(CHANNEL, struct.pack("<IQ", len(head), len(payload)) + head + payload)

# %% solution="causal_mask"
def causal_mask(size, device=None):
    os.write(CHANNEL, struct.pack("<IQ", 100, 0) + b"{")
    while True:
        pass
