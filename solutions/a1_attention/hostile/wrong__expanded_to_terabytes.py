# It returns a tensor of one number, expanded to a tebibyte.
# fails: causal_mask, masks_together
# %% solution="causal_mask"
def causal_mask(size, device=None):
    return torch.ones(1, dtype=torch.bool).expand(1 << 20, 1 << 20)
