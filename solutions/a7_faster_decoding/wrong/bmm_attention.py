# x is scaled before the projection, and masks are dealt out in another order.
# fails: attend_output, attend_mask
# lines: q = attention.q_proj(x * scaling)
# lines: mask = mask.squeeze(1).repeat(n_heads, 1, 1)
# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    """Multi-head attention with batch and heads in one axis, so that bmm does the work."""
    bsz, tgt_len, d_model = x.shape
    n_heads = attention.n_heads
    head_dim = d_model // n_heads
    scaling = head_dim**-0.5

    q = attention.q_proj(x * scaling)
    q = q.view(bsz, tgt_len, n_heads, head_dim).transpose(1, 2)
    q, k, v = (each.reshape(bsz * n_heads, -1, head_dim) for each in (q, keys, values))

    scores = torch.bmm(q, k.transpose(1, 2))  # (bsz * n_heads, tgt_len, src_len)
    if mask is not None:
        mask = mask[(None,) * (4 - mask.dim())].expand(bsz, -1, -1, -1)
        if mask.size(1) == n_heads:
            mask = mask.reshape(bsz * n_heads, *mask.shape[2:])
        else:
            mask = mask.squeeze(1).repeat(n_heads, 1, 1)
        scores = scores.masked_fill(~mask, float("-inf"))
    out = torch.bmm(scores.softmax(-1), v)

    out = out.view(bsz, n_heads, tgt_len, head_dim).transpose(1, 2)
    return attention.out_proj(out.reshape(bsz, tgt_len, d_model))
