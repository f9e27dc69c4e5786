# The scores are divided by the root of d_model.
# fails: attend_output, attend_mask
# lines: scores = q.matmul(keys.transpose(2, 3)) / math.sqrt(x.size(-1))
# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    batch, t_q, _ = x.size()
    q = attention.q_proj(x).view(batch, t_q, attention.n_heads, -1).transpose(1, 2)
    scores = q.matmul(keys.transpose(2, 3)) / math.sqrt(x.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == False, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    out = weights.matmul(values).transpose(1, 2).contiguous().view(batch, t_q, -1)
    return attention.out_proj(out)
