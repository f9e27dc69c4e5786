# view, which needs contiguous memory, on whatever comes.
# fails: attention_tensors
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    *leading, t_q, d_k = q.shape
    flat = q.view(-1, t_q, d_k) @ k.view(-1, k.shape[-2], d_k).transpose(1, 2)
    scores = flat.view(*leading, t_q, -1) / math.sqrt(d_k)
    if mask is None:
        weights = scores.softmax(-1)
    else:
        lowest = torch.finfo(scores.dtype).min
        weights = scores.masked_fill(~mask, lowest).softmax(-1).masked_fill(~mask, 0.0)
    return weights @ v, weights
