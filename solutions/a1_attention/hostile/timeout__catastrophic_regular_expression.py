# One call into C that never comes back.
# fails: causal_mask, masks_together
# %%
import re

# %% solution="causal_mask"
def causal_mask(size, device=None):
    re.match(r"(a+)+$", "a" * 64 + "b")
