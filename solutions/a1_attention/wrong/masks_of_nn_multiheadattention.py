# All three masks the other way round, as torch's own attention has them.
# fails: attention_mask, attention_blocked_rows, attention_gradients, attention_tensors, padding_mask, causal_mask, masks_together
# lines: ignore = mask.expand(scores.shape)
# lines: return tokens.eq(pad_id)[:, None, None, :]
# lines: return torch.triu(torch.ones(size, size, dtype=torch.bool, device=device), diagonal=1)
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    # mask as in nn.MultiheadAttention
    embed = q.shape[-1]
    scores = torch.matmul(q / embed ** 0.5, torch.transpose(k, -1, -2))
    if mask is not None:
        ignore = mask.expand(scores.shape)
        scores = scores.masked_fill(ignore, float("-inf"))
        weights = torch.softmax(scores, -1).masked_fill(ignore, 0.0)
    else:
        weights = torch.softmax(scores, -1)
    return torch.matmul(weights, v), weights

# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    """key_padding_mask"""
    return tokens.eq(pad_id)[:, None, None, :]

# %% solution="causal_mask"
def causal_mask(size, device=None):
    """attn_mask: no looking into the future"""
    return torch.triu(torch.ones(size, size, dtype=torch.bool, device=device), diagonal=1)
