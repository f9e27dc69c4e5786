# sys.exit in a function.
# fails: causal_mask, masks_together
# %%
import sys

# %% solution="causal_mask"
def causal_mask(size, device=None):
    sys.exit(0)
