# The causal mask is float, of 0 and 1.
# fails: causal_mask, masks_together
# %% solution="causal_mask"
def causal_mask(size, device=None):
    return torch.tril(torch.ones(size, size, device=device))
