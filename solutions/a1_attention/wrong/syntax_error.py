# The cell with attention has a syntax error.
# fails: attention_output, attention_weights, attention_scale, attention_mask, attention_blocked_rows, attention_gradients, attention_tensors
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None)
    return v, q
