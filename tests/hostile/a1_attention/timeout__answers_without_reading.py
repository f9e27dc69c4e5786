# It answers what was never asked, reads nothing, and lets the grader's questions pile up.
# fails: *
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

answer = {"value": {"plain": True}, "gradients": [], "changed": [], "banned": [], "failure": None}
while True:
    send(answer)
