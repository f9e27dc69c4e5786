# An exception with a text of a hundred million letters.
# fails: causal_mask, masks_together
# %% solution="causal_mask"
def causal_mask(size, device=None):
    raise ValueError("x" * 10**8)
