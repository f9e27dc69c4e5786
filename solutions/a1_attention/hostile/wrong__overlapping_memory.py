# It returns a tensor that reads the same memory again and again.
# fails: causal_mask, masks_together
# %% solution="causal_mask"
def causal_mask(size, device=None):
    return torch.as_strided(torch.ones(1, dtype=torch.bool), (size, size), (0, 0))
