# sys.exit in a solution's cell, before its function.
# fails: causal_mask, masks_together
# %% solution="causal_mask"
raise SystemExit

def causal_mask(size, device=None):
    return torch.ones(size, size, dtype=torch.bool, device=device).tril()
