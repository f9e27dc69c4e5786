# An exception that is its own cause.
# fails: causal_mask, masks_together
# %% solution="causal_mask"
def causal_mask(size, device=None):
    error = ValueError("round and round")
    error.__cause__ = error.__context__ = error
    raise error
