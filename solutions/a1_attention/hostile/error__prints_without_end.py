# It prints without end.
# fails: causal_mask, masks_together
# %% solution="causal_mask"
def causal_mask(size, device=None):
    while True:
        print("x" * 10_000)
