# An exception with a text that no encoding can write.
# fails: causal_mask, masks_together
# %% solution="causal_mask"
def causal_mask(size, device=None):
    raise ValueError("\ud800 \x00 \x1b[31m")
