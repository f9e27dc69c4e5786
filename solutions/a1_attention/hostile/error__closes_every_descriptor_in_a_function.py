# It closes every descriptor, in a function, and goes on.
# fails: causal_mask, masks_together
# %%
import os

# %% solution="causal_mask"
def causal_mask(size, device=None):
    os.closerange(0, 64)
    while True:
        pass
