# It returns objects that are equal to everything, and raise when they are looked at.
# fails: attention_*
# %%
class Evil:
    def __eq__(self, other):
        return True

    def _raise(self, *_):
        raise SystemExit("evil")

    __bool__ = __len__ = __iter__ = __str__ = __repr__ = __hash__ = __float__ = _raise

# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is None:
        weights = scores.softmax(-1)
    else:
        weights = scores.masked_fill(~mask, -1e30).softmax(-1).masked_fill(~mask, 0.0)
    return Evil(), Evil()
