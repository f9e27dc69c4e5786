# It interrupts itself.
# fails: causal_mask, masks_together
# %% solution="causal_mask"
def causal_mask(size, device=None):
    raise KeyboardInterrupt
