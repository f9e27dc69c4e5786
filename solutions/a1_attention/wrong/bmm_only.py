# bmm: three axes, neither more nor fewer.
# fails: attention_output, attention_weights, attention_scale, attention_mask, attention_blocked_rows, attention_gradients, attention_tensors
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(q.shape[-1])
    if mask is None:
        weights = scores.softmax(-1)
    else:
        lowest = torch.finfo(scores.dtype).min
        weights = scores.masked_fill(~mask, lowest).softmax(-1).masked_fill(~mask, 0.0)
    return torch.bmm(weights, v), weights
