# It raises its own limits, and gives itself rights.
import os
import resource
import ctypes

libc = ctypes.CDLL(None, use_errno=True)

for what in (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE):
    soft, hard = resource.getrlimit(what)
    try:
        resource.setrlimit(what, (hard + 1, hard + 1))
    except (OSError, ValueError):
        continue
    if resource.getrlimit(what)[1] > hard:
        raise AssertionError(LOOT)
for way in (lambda: os.setuid(0), lambda: os.setgroups([0]), lambda: os.nice(-5)):
    try:
        way()
    except OSError:
        continue
    raise AssertionError(LOOT)
