# Space is taken without writing to it.
import os

for number in range(10_000):
    fd = os.open(f"file{number}", os.O_CREAT | os.O_RDWR)
    os.posix_fallocate(fd, 0, 1 << 22)
    os.close(fd)
