# A silent query is one with as many False in its mask as there are keys.
# fails: attention_blocked_rows
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    t_k, d_k = k.shape[-2:]
    scores = torch.einsum("...qd,...kd->...qk", q, k) / d_k**0.5
    if mask is not None:
        blocked = ~mask
        silent = blocked.sum(dim=-1, keepdim=True) == t_k
        scores = scores.masked_fill(blocked, torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=-1)
        weights = weights * (~silent)
    else:
        weights = scores.softmax(dim=-1)
    return weights @ v, weights
