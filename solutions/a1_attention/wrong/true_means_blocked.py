# All three functions read masks the other way round, as nn.MultiheadAttention does.
# fails: attention_mask, attention_blocked_rows, attention_gradients, attention_tensors, padding_mask, causal_mask, masks_together
# lines: scores = scores.masked_fill(mask, neg_large)
# lines: attn = attn.masked_fill(mask.all(dim=-1, keepdim=True), 0.0)
# lines: return (tokens == pad_id).unsqueeze(1).unsqueeze(2)
# lines: return torch.triu(torch.ones(size, size, dtype=torch.bool, device=device), diagonal=1)
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    scale = 1.0 / math.sqrt(q.size(-1))
    scores = torch.matmul(q, k.transpose(-2, -1)) * scale
    if mask is not None:
        neg_large = torch.finfo(scores.dtype).min
        scores = scores.masked_fill(mask, neg_large)
    attn = torch.softmax(scores, dim=-1)
    if mask is not None:
        attn = attn.masked_fill(mask.all(dim=-1, keepdim=True), 0.0)
    return torch.matmul(attn, v), attn

# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    # [batch, 1, 1, t]
    return (tokens == pad_id).unsqueeze(1).unsqueeze(2)

# %% solution="causal_mask"
def causal_mask(size, device=None):
    # look-ahead mask
    return torch.triu(torch.ones(size, size, dtype=torch.bool, device=device), diagonal=1)
