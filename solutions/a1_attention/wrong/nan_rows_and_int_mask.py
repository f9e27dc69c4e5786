# The attention makes NaN of a query whose keys are all blocked.
# fails: attention_blocked_rows, attention_tensors, padding_mask, masks_together
# lines: (missing) what becomes of a query that may attend to nothing
# lines: return mask.int()
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    """
    q: (..., t_q, d_k)   k: (..., t_k, d_k)   v: (..., t_k, d_v)
    """
    d_k = q.size(-1)
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(d_k)

    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))

    attn_weights = torch.softmax(scores, dim=-1)
    output = torch.matmul(attn_weights, v)
    return output, attn_weights

# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    # 1 for real tokens, 0 for padding; two extra axes for heads and queries
    mask = (tokens != pad_id).unsqueeze(1).unsqueeze(2)
    return mask.int()

# %% solution="causal_mask"
def causal_mask(size, device=None):
    return torch.tril(torch.ones(size, size, device=device)).bool()
