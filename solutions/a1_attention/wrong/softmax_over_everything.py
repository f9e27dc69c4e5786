# One softmax over the whole tensor.
# fails: attention_output, attention_weights, attention_scale, attention_mask, attention_blocked_rows, attention_gradients, attention_tensors
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e30)
    weights = scores.flatten().softmax(0).view_as(scores)
    return weights @ v, weights
