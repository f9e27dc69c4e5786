# A recursion without end, once Python's limit on it is gone.
# fails: causal_mask, masks_together
# %%
import sys

# %% solution="causal_mask"
def causal_mask(size, device=None):
    sys.setrecursionlimit(10**9)
    nested = []
    for _ in range(10**6):
        nested = [nested]
    return repr(nested)
