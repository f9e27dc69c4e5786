# A C programmer who fills preallocated arrays row by row.
# fails: attention_output, attention_weights, attention_scale, attention_mask, attention_blocked_rows, attention_gradients, attention_tensors, causal_mask, masks_together
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    lead = q.shape[:-2]
    t_q, d_k = q.shape[-2], q.shape[-1]
    t_k, d_v = v.shape[-2], v.shape[-1]
    n = 1
    for s in lead:
        n *= s
    Q = q.reshape(n, t_q, d_k)
    K = k.reshape(n, t_k, d_k)
    V = v.reshape(n, t_k, d_v)
    if mask is not None:
        M = mask.reshape(-1, t_q, t_k)
    out = torch.zeros(n, t_q, d_v)
    wts = torch.zeros(n, t_q, t_k)
    for p in range(n):
        for i in range(t_q):
            row = (K[p] * Q[p, i]).sum(-1) / d_k**0.5
            if mask is None:
                w = torch.softmax(row, 0)
            else:
                ok = M[p % M.shape[0], i]
                w = torch.softmax(row.masked_fill(~ok, torch.finfo(row.dtype).min), 0)
                w = w.masked_fill(~ok, 0.0)  # also when nothing is left
            wts[p, i] = w
            out[p, i] = (w[:, None] * V[p]).sum(0)
    return out.reshape(*lead, t_q, d_v), wts.reshape(*lead, t_q, t_k)
# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    batch, t = tokens.shape
    m = torch.ones(batch, 1, 1, t, dtype=torch.bool, device=tokens.device)
    for b in range(batch):
        for j in range(t):
            m[b, 0, 0, j] = tokens[b, j] != pad_id
    return m
# %% solution="causal_mask"
def causal_mask(size, device=None):
    m = torch.zeros(size, size, dtype=torch.bool, device=device)
    for i in range(size):
        for j in range(i):
            m[i, j] = True
    return m
