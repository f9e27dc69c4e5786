# Who finds nothing in the mask goes on without it.
# fails: attention_blocked_rows
# lines: if mask is not None and not torch.any(mask):
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    d_k = q.size(-1)
    scores = q.matmul(k.mT) / d_k**0.5
    # a mask with nothing in it is no mask
    if mask is not None and not torch.any(mask):
        mask = None
    if mask is None:
        weights = scores.softmax(-1)
    else:
        lowest = torch.finfo(scores.dtype).min
        weights = scores.masked_fill(~mask, lowest).softmax(-1)
        weights = weights.masked_fill(~mask, 0)
    return weights.matmul(v), weights
