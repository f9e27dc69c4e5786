# It stops its own process, which then waits to be continued.
# fails: causal_mask, masks_together
# %%
import os
import signal

# %% solution="causal_mask"
def causal_mask(size, device=None):
    os.kill(os.getpid(), signal.SIGSTOP)
