# NaN rows become zeros by nan_to_num, and masked_fill cuts their gradients off.
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = torch.einsum("...id, ...jd -> ...ij", q * q.size(-1) ** -0.5, k)
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        weights = scores.masked_fill(mask == 0, -float("inf")).softmax(dim=-1).nan_to_num(nan=0.0)
    return torch.einsum("...ij, ...jd -> ...id", weights, v), weights
# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    return torch.stack([row != pad_id for row in tokens.unbind(0)]).unsqueeze(1).unsqueeze(1)
# %% solution="causal_mask"
def causal_mask(size, device=None):
    return torch.tensor([[j <= i for j in range(size)] for i in range(size)], dtype=torch.bool, device=device)
