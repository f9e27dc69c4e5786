# Loops over every leading axis and every query, one dot product at a time.
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    leading, (t_q, d_k), t_k = q.shape[:-2], q.shape[-2:], k.shape[-2]
    if mask is not None:
        mask = mask.expand(*leading, t_q, t_k).reshape(-1, t_q, t_k)
    outputs, all_weights = [], []
    flat = zip(q.reshape(-1, t_q, d_k), k.reshape(-1, t_k, d_k), v.reshape(-1, t_k, v.shape[-1]))
    for i, (one_q, one_k, one_v) in enumerate(flat):
        for j in range(t_q):
            scores = torch.stack([one_q[j].dot(key) / d_k**0.5 for key in one_k])
            if mask is None:
                weights = scores.softmax(0)
            elif not mask[i, j].any():
                weights = torch.zeros_like(scores)
            else:
                weights = scores.masked_fill(~mask[i, j], -math.inf).softmax(0)
            all_weights.append(weights)
            outputs.append(sum(w * value for w, value in zip(weights, one_v)))
    output = torch.stack(outputs).reshape(*leading, t_q, v.shape[-1])
    return output, torch.stack(all_weights).reshape(*leading, t_q, t_k)


# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    rows = [[token != pad_id for token in row] for row in tokens.tolist()]
    return torch.tensor(rows, device=tokens.device).view(len(rows), 1, 1, -1)


# %% solution="causal_mask"
def causal_mask(size, device=None):
    mask = torch.zeros(size, size, dtype=torch.bool, device=device)
    for i in range(size):
        mask[i, : i + 1] = True
    return mask
