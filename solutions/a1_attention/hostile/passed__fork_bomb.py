# A fork bomb (of a hundred, should it ever work).
# %%
import os
import time

for _ in range(100):
    if os.fork() == 0:
        time.sleep(60)
        os._exit(0)
raise RuntimeError("LOOT: it can fork")
