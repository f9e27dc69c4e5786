# It returns a tensor whose conjugate and negative bits are set.
# fails: causal_mask, masks_together
# %% solution="causal_mask"
def causal_mask(size, device=None):
    return torch.ones(size, size, dtype=torch.complex64).conj().imag
