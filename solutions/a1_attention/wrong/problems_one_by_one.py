# Thinks in C: flattens everything and loops over the independent problems one by one.
# fails: hand_example, attention_scale, attention_mask, attention_tensors
# lines: e0, e1 = [1.0, 9.0, 36.0], [4.0, 1.0, 1.0]
# lines: qs, ks, vs = q.view(-1, t_q, d_k), k.view(-1, t_k, d_k), v.view(-1, t_k, d_v)
# lines: root = math.isqrt(d_k)
# lines: masks = mask.reshape(-1, *mask.shape[-2:])
# %% solution="hand_example"
# e^{score}: query 0 and query 1
e0, e1 = [1.0, 9.0, 36.0], [4.0, 1.0, 1.0]
hand_weights = torch.tensor([[e / sum(row) for e in row] for row in (e0, e1)])
hand_output = torch.tensor(
    [[sum(w * value[c] for w, value in zip(row, [(4.0, 0.0), (0.0, 4.0), (2.0, 2.0)])) for c in (0, 1)] for row in hand_weights.tolist()]
)
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    lead = q.shape[:-2]
    t_q, d_k = q.shape[-2:]
    t_k, d_v = v.shape[-2:]
    qs, ks, vs = q.view(-1, t_q, d_k), k.view(-1, t_k, d_k), v.view(-1, t_k, d_v)
    root = math.isqrt(d_k)
    if mask is not None:
        while mask.dim() < 2:
            mask = mask[None]
        if mask.dim() > 2:
            # one matrix for each problem, or for each group of problems
            masks = mask.reshape(-1, *mask.shape[-2:])
        else:
            masks = mask[None]
    outs, ws = [], []
    for n in range(qs.shape[0]):
        s = torch.mm(qs[n], ks[n].t()) / root
        if mask is None:
            w = s.softmax(1)
        else:
            m = masks[n % masks.shape[0]].expand(t_q, t_k)
            w = s.masked_fill(~m, -float("inf"))
            some = m.any(1, keepdim=True)
            w = w.masked_fill(~some, 0.0).softmax(1) * some
        ws.append(w)
        outs.append(torch.mm(w, vs[n]))
    return torch.stack(outs).reshape(*lead, t_q, d_v), torch.stack(ws).reshape(*lead, t_q, t_k)
# %% solution="causal_mask"
def causal_mask(size, device=None):
    rows = [[j <= i for j in range(size)] for i in range(size)]
    return torch.tensor(rows, dtype=torch.bool, device=device)
