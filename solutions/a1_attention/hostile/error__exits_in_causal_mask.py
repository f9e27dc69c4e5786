# os._exit in a function.
# fails: causal_mask, masks_together
# %%
import os

# %% solution="causal_mask"
def causal_mask(size, device=None):
    os._exit(0)
