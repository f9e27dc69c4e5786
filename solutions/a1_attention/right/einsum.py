# Einsum all the way, and masks from a triangle of ones.
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = torch.einsum("...qd,...kd->...qk", q, k) * q.size(-1) ** -0.5
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), -1e30)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = torch.where(mask, weights, torch.zeros_like(weights))
    return torch.einsum("...qk,...kd->...qd", weights, v), weights


# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    return tokens.ne(pad_id).unsqueeze(1).unsqueeze(1)


# %% solution="causal_mask"
def causal_mask(size, device=None):
    return torch.ones(size, size, dtype=torch.bool, device=device).tril()
