# The mask comes after the softmax: the rows no longer sum to 1.
# fails: attention_mask, attention_gradients, attention_tensors, attention_blocked_rows
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    weights = scores.softmax(-1)
    if mask is not None:
        weights = weights * mask
    return weights @ v, weights
