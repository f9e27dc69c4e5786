# What it leaves behind is hard to remove.
import os

os.mkdir("deep")
place = "deep"
for _ in range(60):
    place += "/d"
    os.mkdir(place)
for name in ("-rf", "two\nlines", "\x1b[31m", "\udcff", "x" * 255):
    open(name, "w").close()
os.mkdir("closed")
open("closed/file", "w").close()
for way in (lambda: os.chmod("closed", 0), lambda: os.mkfifo("pipe"), lambda: os.symlink("x", "x")):
    try:
        way()
    except OSError:
        continue
