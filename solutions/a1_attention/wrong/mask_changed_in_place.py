# The caller's mask is inverted in place.
# fails: attention_tensors
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is None:
        weights = scores.softmax(-1)
    else:
        blocked = mask.logical_not_()
        lowest = torch.finfo(scores.dtype).min
        weights = scores.masked_fill(blocked, lowest).softmax(-1).masked_fill(blocked, 0.0)
    return weights @ v, weights
