# It writes to every socket that it has.
# may cost points
import os
import stat


def strike():
    for fd in range(64):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                os.write(fd, b"\xff\x00{}" * 64)
        except OSError:
            continue
