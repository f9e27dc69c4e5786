# A causal mask over keys that are ready, as if the first key were the new token's.
# fails: attend_output, attend_mask
# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    b, t, d = x.shape
    h = attention.n_heads
    q = attention.q_proj(x).view(b, t, h, d // h).transpose(1, 2)  # (b, h, t, d_k)
    s = q @ keys.transpose(-2, -1) * (d // h) ** -0.5  # (b, h, t, t_k)
    # a decoder never looks ahead
    s = s.masked_fill(~torch.ones_like(s, dtype=torch.bool).tril(), float("-inf"))
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    out = s.softmax(-1) @ values
    return attention.out_proj(out.transpose(1, 2).reshape(b, t, d))
