# The softmax stands inside the if: without a mask there is none.
# fails: attention_output, attention_weights, attention_scale, attention_gradients, attention_tensors
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        scores = scores.softmax(-1).masked_fill(~mask, 0.0)
    return scores @ v, scores
