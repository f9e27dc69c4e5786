# A background thread that never ends.
# %%
import threading
import time


def burn():
    while True:
        time.sleep(0.001)


threading.Thread(target=burn, daemon=True).start()
