# The mask is taken the other way round, as torch's own attention has it.
# fails: attend_output, attend_mask
# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    batch, n_heads, _, d_k = keys.shape
    q = attention.q_proj(x).unflatten(-1, (n_heads, d_k)).transpose(1, 2)
    scores = (q / d_k**0.5) @ keys.mT
    if mask is not None:
        scores = scores.masked_fill(mask, -1e9)
    return attention.out_proj((scores.softmax(-1) @ values).transpose(1, 2).flatten(2))
