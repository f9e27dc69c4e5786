# It returns a nested tensor.
# fails: causal_mask, masks_together
# %% solution="causal_mask"
def causal_mask(size, device=None):
    return torch.nested.nested_tensor([torch.ones(size), torch.ones(1)])
