# One tensor of a tebibyte.
# fails: causal_mask, masks_together
# %% solution="causal_mask"
def causal_mask(size, device=None):
    return torch.ones(1 << 40, dtype=torch.bool)
