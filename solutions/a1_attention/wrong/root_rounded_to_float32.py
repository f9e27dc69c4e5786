# The root of d_k is a float32 tensor: with float64 inputs the scores have only seven right digits (unless the root is a round number).
# fails: attention_scale
# lines: att = torch.einsum("...qd,...kd->...qk", q, k) / torch.sqrt(d_k)
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    """q: (B, T, D)"""
    d_k = torch.tensor(k.shape[-1], dtype=torch.float32, device=q.device)
    att = torch.einsum("...qd,...kd->...qk", q, k) / torch.sqrt(d_k)
    if mask is not None:
        att = att.masked_fill(torch.logical_not(mask), -torch.inf)
    att = att.softmax(-1)
    att = torch.where(torch.isnan(att), torch.zeros_like(att), att)
    out = torch.einsum("...qk,...kd->...qd", att, v)
    return out, att
