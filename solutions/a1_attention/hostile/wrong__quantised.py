# It returns a quantised tensor.
# fails: causal_mask, masks_together
# %% solution="causal_mask"
def causal_mask(size, device=None):
    return torch.quantize_per_tensor(torch.ones(size, size), 0.1, 0, torch.qint8)
