# A loop without end that ignores signals and catches every exception.
# fails: causal_mask, masks_together
# %%
import signal
import time

for number in range(1, 32):
    try:
        signal.signal(number, signal.SIG_IGN)
    except OSError:
        pass

# %% solution="causal_mask"
def causal_mask(size, device=None):
    while True:
        try:
            time.sleep(1)
        except BaseException:
            continue
