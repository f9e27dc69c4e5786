# The attention adds -10000 to blocked scores instead of replacing them.
# fails: attention_mask
# lines: scaled = scaled + torch.zeros_like(scaled).masked_fill(mask.logical_not(), NEG_INFTY)
# %% solution="attention"
NEG_INFTY = -1e4  # exp of this is 0 anyway


def scaled_dot_product_attention(q, k, v, mask=None):
    d_k = q.size()[-1]
    scaled = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(d_k)
    if mask is not None:
        # additive mask: 0 where we may look, very negative where we may not
        scaled = scaled + torch.zeros_like(scaled).masked_fill(mask.logical_not(), NEG_INFTY)
    attention = torch.softmax(scaled, dim=-1)
    if mask is not None:
        attention = torch.where(mask.any(-1, keepdim=True), attention, torch.zeros_like(attention))
    values = torch.matmul(attention, v)
    return values, attention

# %% solution="causal_mask"
def causal_mask(size, device=None):
    look_ahead = torch.full([size, size], True, device=device)
    look_ahead = torch.triu(look_ahead, diagonal=1)
    return ~look_ahead
