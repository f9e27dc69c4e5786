# The largest score is looked for key by key, from 0 on, which is higher than all may be.
# fails: attend_mask
# lines: highest = torch.zeros(q.shape[:3], dtype=q.dtype, device=q.device)
# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    batch, n_heads, t_k, d_k = keys.shape
    q = attention.q_proj(x).unflatten(-1, (n_heads, d_k)).transpose(1, 2) * d_k**-0.5
    may = torch.ones((), dtype=torch.bool, device=x.device) if mask is None else mask
    may = may.expand(batch, n_heads, x.shape[1], t_k)
    highest = torch.zeros(q.shape[:3], dtype=q.dtype, device=q.device)
    share, heads = torch.zeros_like(highest), torch.zeros_like(q)
    for j in range(t_k):
        score = torch.einsum("bhqd,bhd->bhq", q, keys[:, :, j])
        score = score.masked_fill(~may[..., j], -torch.inf)
        above = torch.maximum(highest, score)
        fades, counts = torch.exp(highest - above), torch.exp(score - above)
        share = share * fades + counts
        heads = heads * fades.unsqueeze(-1) + counts.unsqueeze(-1) * values[:, :, j].unsqueeze(2)
        highest = above
    heads = heads / share.unsqueeze(-1)
    return attention.out_proj(heads.transpose(1, 2).flatten(2))
