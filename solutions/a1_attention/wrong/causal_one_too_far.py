# A position sees the next one.
# fails: causal_mask, masks_together
# %% solution="causal_mask"
def causal_mask(size, device=None):
    return torch.ones(size, size, dtype=torch.bool, device=device).tril(1)
