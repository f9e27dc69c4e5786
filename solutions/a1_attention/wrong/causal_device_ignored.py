# The causal mask is made on torch's default device, whatever is asked for.
# fails: causal_mask
# %% solution="causal_mask"
def causal_mask(size, device=None):
    return torch.ones(size, size, dtype=torch.bool).tril()
