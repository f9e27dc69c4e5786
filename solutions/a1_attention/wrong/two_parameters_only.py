# The function takes no mask.
# fails: attention_mask, attention_blocked_rows, attention_gradients, attention_tensors
# %% solution="attention"
def scaled_dot_product_attention(q, k, v):
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).softmax(-1)
    return weights @ v, weights
