# The causal mask is still the stub.
# fails: causal_mask, masks_together
# %% solution="causal_mask"
def causal_mask(size, device=None):
    raise NotImplementedError()
