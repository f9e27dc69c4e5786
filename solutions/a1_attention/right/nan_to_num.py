# Filled with -inf, and NaN replaced: harmless, since masked_fill lets no gradient back.
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = scores.softmax(-1).nan_to_num(0.0)
    return weights @ v, weights


# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    return torch.where(tokens == pad_id, False, True)[:, None, None]


# %% solution="causal_mask"
def causal_mask(size, device=None):
    return torch.tril(torch.ones(size, size)).bool().to(device)
