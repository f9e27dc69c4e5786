# Ids become floats to be compared, and where all is blocked, constants are returned.
# fails: attention_blocked_rows, padding_mask
# lines: return torch.zeros(shape, dtype=q.dtype, device=q.device), torch.zeros_like(logits)
# lines: is_pad = torch.sub(tokens.to(torch.float32), pad_id).eq(0)
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    logits = torch.matmul(q, k.transpose(-1, -2)) * q.size(-1) ** -0.5
    if mask is None:
        weights = torch.softmax(logits, dim=-1)
        return torch.matmul(weights, v), weights
    if torch.count_nonzero(mask) == 0:
        shape = (*logits.shape[:-1], v.size(-1))
        return torch.zeros(shape, dtype=q.dtype, device=q.device), torch.zeros_like(logits)
    lowest = torch.finfo(logits.dtype).min
    weights = torch.softmax(torch.where(mask, logits, lowest), dim=-1)
    weights = torch.where(mask, weights, 0.0)
    return torch.matmul(weights, v), weights


# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    is_pad = torch.sub(tokens.to(torch.float32), pad_id).eq(0)
    return is_pad.logical_not().view(tokens.size(0), 1, 1, tokens.size(1))
