# Files that are removed and stay open, or mapped: where do they count?
# may cost points
import mmap
import os

kept = []
for number in range(10_000):
    with open(f"file{number}", "wb+") as file:
        file.write(bytes(1 << 20))
        kept.append(mmap.mmap(file.fileno(), 4096))
    os.unlink(f"file{number}")
