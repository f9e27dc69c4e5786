# The attention calls masked_fill without keeping what it returns.
# fails: attention_mask, attention_blocked_rows, attention_gradients, attention_tensors
# lines: scores.masked_fill(mask == 0, -1e9)
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    """softmax(q k^T / sqrt(d_k)) v, returns (output, weights)."""
    d_k = q.shape[-1]
    # (..., t_q, d_k) @ (..., d_k, t_k) -> (..., t_q, t_k)
    scores = (q @ k.transpose(-2, -1)) / d_k**0.5
    if mask is not None:
        # very low values (-inf-ish) where we may not look
        scores.masked_fill(mask == 0, -1e9)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        # a query with no key at all hears silence
        weights = weights * mask.any(dim=-1, keepdim=True)
    return weights @ v, weights

# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    # (batch, t) -> (batch, 1, 1, t)
    return (tokens != pad_id).unsqueeze(1).unsqueeze(1)

# %% solution="causal_mask"
def causal_mask(size, device=None):
    mask = torch.triu(torch.ones(size, size, device=device), diagonal=1).type(torch.int)
    return mask == 0
