# A timer that raises an exception a thousand times a second.
# fails: causal_mask, masks_together
# %%
import signal


def ring(*_):
    raise RuntimeError("ring")


# %% solution="causal_mask"
def causal_mask(size, device=None):
    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    while True:
        pass
