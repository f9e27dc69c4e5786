# Links, pipes and odd names, for whoever tidies up.
# %%
import contextlib
import os

for target in ("/", "/etc/passwd", "..", "loop"):
    os.symlink(target, f"link_{len(target)}")
os.symlink("loop", "loop")
with contextlib.suppress(OSError):
    os.mkfifo("pipe")
os.mkdir(b"\xff\xfe\n")
os.mkdir("closed", 0)
os.umask(0o777)
open("unreadable", "w").close()
