# Links lead out of its folder, and are written and read through.
import os

for target in ("/etc/passwd", "/proc/self/environ", "/etc/hostname"):
    name = f"to{target.replace('/', '_')}"
    for make in (os.symlink, os.link):
        try:
            make(target, name + make.__name__)
            said = open(name + make.__name__).read()
        except OSError:
            continue
        raise AssertionError(LOOT)
