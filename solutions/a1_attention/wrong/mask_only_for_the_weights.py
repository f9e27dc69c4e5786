# The mask holds for the weights, but the values are mixed without it.
# fails: attention_mask, attention_blocked_rows, attention_gradients, attention_tensors
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    weights = scores.softmax(-1)
    output = weights @ v
    if mask is not None:
        lowest = torch.finfo(scores.dtype).min
        weights = scores.masked_fill(~mask, lowest).softmax(-1).masked_fill(~mask, 0.0)
    return output, weights
