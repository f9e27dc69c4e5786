# The mask is multiplied in, and what is 0 then counts as blocked.
# fails: attention_mask
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is None:
        weights = scores.softmax(-1)
    else:
        scores = scores * mask
        lowest = torch.finfo(scores.dtype).min
        weights = scores.masked_fill(scores == 0, lowest).softmax(-1).masked_fill(~mask, 0.0)
    return weights @ v, weights
