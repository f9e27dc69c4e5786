# What comes back is six lists of a thousand zeros.
# fails: attention_*
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    return [[0] * 1000 for _ in range(6)]
