# Of the mask, what it says for the first head and the first query is taken for all.
# fails: attend_output, attend_mask
# lines: scores = scores.masked_fill(~mask[:, :1, :1], -torch.inf)
# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    batch, t_q, d_model = x.shape
    q = attention.q_proj(x).view(batch, t_q, attention.n_heads, -1).transpose(1, 2)
    scores = q @ keys.transpose(-1, -2) / keys.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask[:, :1, :1], -torch.inf)
    heads = torch.softmax(scores, -1) @ values
    return attention.out_proj(heads.transpose(1, 2).reshape(batch, t_q, d_model))
