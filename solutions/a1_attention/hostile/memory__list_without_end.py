# A list that doubles without end.
# fails: causal_mask, masks_together
# %% solution="causal_mask"
def causal_mask(size, device=None):
    everything = [0]
    while True:
        everything += everything
