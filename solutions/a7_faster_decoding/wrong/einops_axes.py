# Names the two parts of the last axis in the wrong order everywhere, with einops.
# fails: keys_values, attend_output, attend_mask
# %% solution="keys_and_values"
from einops import rearrange

SPLIT = "batch t (d_k heads) -> batch heads t d_k"
JOIN = "batch heads t d_k -> batch t (d_k heads)"


def keys_and_values(attention, x):
    h = attention.n_heads
    return rearrange(attention.k_proj(x), SPLIT, heads=h), rearrange(
        attention.v_proj(x), SPLIT, heads=h
    )
# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    q = rearrange(attention.q_proj(x), SPLIT, heads=attention.n_heads)
    scores = q @ keys.transpose(-1, -2) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    return attention.out_proj(rearrange(scores.softmax(-1) @ values, JOIN))
