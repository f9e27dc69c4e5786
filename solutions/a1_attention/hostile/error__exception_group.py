# A group of a thousand exceptions.
# fails: causal_mask, masks_together
# %% solution="causal_mask"
def causal_mask(size, device=None):
    raise BaseExceptionGroup("many", [KeyboardInterrupt(str(n)) for n in range(1000)])
