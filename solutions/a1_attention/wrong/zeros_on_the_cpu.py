# The zeros of blocked keys are made where torch makes everything, whatever device q is on.
# fails: attention_tensors
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is None:
        weights = scores.softmax(-1)
    else:
        lowest = torch.finfo(scores.dtype).min
        weights = scores.masked_fill(~mask, lowest).softmax(-1)
        weights = torch.where(mask, weights, torch.zeros(weights.shape, dtype=weights.dtype))
    return weights @ v, weights
