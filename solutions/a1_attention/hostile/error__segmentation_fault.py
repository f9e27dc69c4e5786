# It reads where no memory is.
# fails: causal_mask, masks_together
# %%
import ctypes

# %% solution="causal_mask"
def causal_mask(size, device=None):
    ctypes.string_at(0)
