# The pattern is turned around.
# fails: correlate, correlate_gradients

# %% solution="correlate"
def correlate(x, w):
    return (windows(x, w.shape[-1])[:, None] * w.flip(-1)[None, :, :, None]).sum(dim=(2, 4))
