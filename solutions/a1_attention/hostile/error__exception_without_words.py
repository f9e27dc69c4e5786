# An exception whose text cannot be read, and whose class has an odd name.
# fails: causal_mask, masks_together
# %%
class Evil(Exception):
    def __str__(self):
        raise SystemExit

    __repr__ = __str__


Evil.__name__ = "\x1b[31mEvil</script>"

# %% solution="causal_mask"
def causal_mask(size, device=None):
    raise Evil
