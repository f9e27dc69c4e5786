# The causal mask has a fixed size.
# fails: causal_mask, masks_together
# %% solution="causal_mask"
def causal_mask(size, device=None):
    return torch.ones(5, 5, dtype=torch.bool, device=device).tril()
