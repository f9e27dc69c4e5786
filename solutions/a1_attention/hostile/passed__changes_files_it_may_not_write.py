# Mode, owner, times and attributes of files outside: the owner needs no leave to write.
# %%
import os

path = os.path.realpath(os.__file__)
WAYS = {
    "chmod": lambda: os.chmod(path, os.stat(path).st_mode),
    "fchmod": lambda: os.chmod(os.open(path, os.O_RDONLY), os.stat(path).st_mode),
    "of the scratch folder": lambda: os.chmod(".", 0o700),
    "chown": lambda: os.chown(path, -1, -1),
    "utime": lambda: os.utime(path, ns=(os.stat(path).st_atime_ns, os.stat(path).st_mtime_ns)),
    "setxattr": lambda: os.setxattr(path, "user.left_behind", b"x"),
    "removexattr": lambda: os.removexattr(path, "user.left_behind"),
    "write": lambda: open(path, "ab"),
    "truncate": lambda: os.truncate(path, os.stat(path).st_size),
    "link": lambda: os.link(path, "linked"),
    "rename": lambda: os.rename(path, path),
    "mkdir": lambda: os.mkdir(os.path.join(os.path.dirname(path), "left_behind")),
}
got = []
for name, way in WAYS.items():
    try:
        way()
    except OSError:
        continue
    got.append(name)
if got:
    raise RuntimeError(f"LOOT: {got}")
