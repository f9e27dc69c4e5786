# The least number of float16 is added, and a mask of three axes gets a fourth.
# fails: attend_mask
# %% solution="attend"
def attend(attention, x, keys, values, mask=None):
    bsz, q_len, hidden = x.shape
    head_dim = hidden // attention.n_heads
    query_states = attention.q_proj(x).view(bsz, q_len, attention.n_heads, head_dim).transpose(1, 2)
    attn_weights = torch.matmul(query_states, keys.transpose(2, 3)) / math.sqrt(head_dim)
    if mask is not None:
        if mask.dim() == 3:
            mask = mask[:, None, :, :]  # add the head axis
        min_value = torch.finfo(torch.float16).min
        attn_weights = attn_weights + (~mask).to(attn_weights.dtype) * min_value
    attn_weights = torch.softmax(attn_weights, dim=-1)
    attn_output = torch.matmul(attn_weights, values)
    return attention.out_proj(attn_output.transpose(1, 2).reshape(bsz, q_len, hidden))
