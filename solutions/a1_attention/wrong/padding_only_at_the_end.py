# padding_mask counts the real tokens of a sentence and lets the first so many positions through, which is wrong when padding stands at the start or in the middle.
# fails: padding_mask
# lines: return positions[None, None, None, :] < lengths[:, None, None, None]
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    d_k = q.shape[-1]
    logits = torch.matmul(q, torch.transpose(k, -2, -1)) / math.sqrt(d_k)
    if mask is None:
        attention = torch.softmax(logits, dim=-1)
    else:
        has_key = mask.any(dim=-1, keepdim=True)
        # a row of nothing but -inf would become nan, so such rows are left alone and emptied below
        blocked = ~mask & has_key
        attention = torch.softmax(logits.masked_fill(blocked, float("-inf")), dim=-1)
        attention = attention * has_key
    values = torch.matmul(attention, v)
    return values, attention

# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    # sentence i has lengths[i] real tokens, everything behind them is padding
    lengths = (tokens != pad_id).sum(dim=1)
    positions = torch.arange(tokens.shape[1], device=tokens.device)
    return positions[None, None, None, :] < lengths[:, None, None, None]

# %% solution="causal_mask"
def causal_mask(size, device=None):
    mask = torch.ones((size, size), dtype=torch.bool, device=device)
    return torch.tril(mask)
