# A recursion without end, through C, once Python's limit on it is gone.
# fails: causal_mask, masks_together
# %% solution="causal_mask"
def causal_mask(size, device=None):
    import sys

    sys.setrecursionlimit(10**9)
    return max([size], key=causal_mask)
