# It sends tensors that lie beyond their own bytes.
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
    tensors = {"0": ["float64", [1 << 61]]}
    send({"value": {"tensor": "0", "order": [0], "grad": False}, "tensors": tensors}, bytes(8))
