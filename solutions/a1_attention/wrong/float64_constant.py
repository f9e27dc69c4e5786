# A float64 constant makes float32 inputs float64.
# fails: attention_mask, attention_tensors
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    root = torch.full((1,), q.shape[-1], dtype=torch.float64).sqrt()
    scores = q @ k.transpose(-2, -1) / root
    if mask is None:
        weights = scores.softmax(-1)
    else:
        lowest = torch.finfo(scores.dtype).min
        weights = scores.masked_fill(~mask, lowest).softmax(-1).masked_fill(~mask, 0.0)
    return weights @ v.to(weights.dtype), weights
