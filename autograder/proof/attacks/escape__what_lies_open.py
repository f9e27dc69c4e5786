# Descriptors that were left open, and what the environment tells.
import os
import stat

for fd in range(64):
    try:
        mode = os.fstat(fd).st_mode
    except OSError:
        continue
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISBLK(mode):
        raise AssertionError(LOOT)
for name in os.environ:
    if any(word in name for word in ("SECRET", "KEY", "USER", "HOME_", "SSH", "COURSE")):
        raise AssertionError(LOOT)
