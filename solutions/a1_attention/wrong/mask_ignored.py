# The mask is never looked at.
# fails: attention_mask, attention_blocked_rows, attention_gradients, attention_tensors
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    weights = scores.softmax(-1)
    return weights @ v, weights
