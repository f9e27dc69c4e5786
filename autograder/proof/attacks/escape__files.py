# Files that are not its own are read, listed and written.
import os

WAYS = [
    lambda: open("/etc/passwd").read(),
    lambda: open("/proc/self/maps").read(),
    lambda: open("/proc/1/environ").read(),
    lambda: os.listdir("/home"),
    lambda: os.listdir("/tmp"),
    lambda: os.listdir(".."),
    lambda: open("../mine", "w"),
    lambda: open("/tmp/mine", "w"),
    lambda: open(os.__file__, "a"),
    lambda: os.chmod(os.__file__, 0o777),
    lambda: os.truncate(os.__file__, 0),
    lambda: os.mkdir("/mine"),
]
for way in WAYS:
    try:
        way()
    except OSError:
        continue
    raise AssertionError(LOOT)
