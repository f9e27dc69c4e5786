# It returns a tensor of a thousand axes.
# fails: causal_mask, masks_together
# %% solution="causal_mask"
def causal_mask(size, device=None):
    return torch.ones([1] * 1000, dtype=torch.bool)
