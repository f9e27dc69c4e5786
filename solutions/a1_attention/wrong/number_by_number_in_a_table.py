# A flattened mask is taken in turn; the output is float32, and weights have no graph.
# fails: attention_output, attention_mask, attention_blocked_rows, attention_gradients, attention_tensors
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    # I do everything number by number, then I know what happens
    lead = q.shape[:-2]
    t_q, d_k = q.shape[-2], q.shape[-1]
    t_k, d_v = k.shape[-2], v.shape[-1]
    how_many = 1
    for size in lead:
        how_many = how_many * size
    qs = q.reshape(how_many, t_q, d_k)
    ks = k.reshape(how_many, t_k, d_k)
    vs = v.reshape(how_many, t_k, d_v)
    if mask is not None:
        ms = mask.expand(*mask.shape[:-2], t_q, t_k)
        ms = ms.reshape(-1, t_q, t_k)
    all_weights = []
    for n in range(how_many):
        rows = []
        for i in range(t_q):
            scores = []
            allowed = []
            for j in range(t_k):
                score = 0.0
                for d in range(d_k):
                    score = score + qs[n, i, d] * ks[n, j, d]
                scores.append(score / d_k**0.5)
                if mask is None:
                    allowed.append(True)
                else:
                    allowed.append(bool(ms[n % ms.shape[0], i, j]))
            highest = None
            for j in range(t_k):
                if allowed[j] and (highest is None or scores[j] > highest):
                    highest = scores[j]
            exps = []
            for j in range(t_k):
                if allowed[j]:
                    exps.append(math.exp(scores[j] - highest))
                else:
                    exps.append(0.0)
            total = sum(exps)
            if total == 0:
                rows.append([0.0] * t_k)
            else:
                rows.append([e / total for e in exps])
        all_weights.append(rows)
    weights = torch.tensor(all_weights, dtype=q.dtype, device=q.device)
    output = torch.zeros(how_many, t_q, d_v, device=q.device)
    for n in range(how_many):
        for i in range(t_q):
            for e in range(d_v):
                for j in range(t_k):
                    output[n, i, e] += weights[n, i, j] * vs[n, j, e]
    return output.reshape(*lead, t_q, d_v), weights.reshape(*lead, t_q, t_k)
