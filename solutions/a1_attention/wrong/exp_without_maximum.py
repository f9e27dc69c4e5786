# The softmax by hand, with no maximum taken away: it overflows.
# fails: attention_weights, attention_mask
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    exponentials = scores.exp()
    if mask is not None:
        exponentials = exponentials * mask
    total = exponentials.sum(-1, keepdim=True)
    weights = exponentials / total.masked_fill(total == 0, 1.0)
    return weights @ v, weights
