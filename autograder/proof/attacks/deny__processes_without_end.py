# Processes by the thousand.
import os

for _ in range(5_000):
    if not os.fork():
        os._exit(0)
