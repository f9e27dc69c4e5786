# Attention for a single query: that is all that a step needs.
# fails: attend_output, attend_mask
# lines: q = attention.q_proj(x).view(batch, attention.n_heads, 1, -1)
# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    batch = x.shape[0]
    q = attention.q_proj(x).view(batch, attention.n_heads, 1, -1)
    scores = torch.einsum("bhqd,bhkd->bhqk", q, keys) / math.sqrt(keys.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    heads = torch.einsum("bhqk,bhkd->bhqd", scores.softmax(-1), values)
    return attention.out_proj(heads.reshape(batch, 1, -1))
