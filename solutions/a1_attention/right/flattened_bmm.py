# All leading axes are flattened into one, and torch.bmm does the work.
# %% solution="hand_example"
# exponentials: query 0: 1, 3, 6 (sum 10), query 1: 2, 1, 1 (sum 4)
hand_weights = torch.tensor([[1 / 10, 3 / 10, 6 / 10], [2 / 4, 1 / 4, 1 / 4]])
hand_output = torch.tensor([[0.4 + 1.2, 1.2 + 1.2], [2 + 0.5, 1 + 0.5]])
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    lead = q.shape[:-2]
    (t_q, d_k), (t_k, d_v) = q.shape[-2:], v.shape[-2:]
    q3, k3, v3 = (x.reshape(math.prod(lead), *x.shape[-2:]) for x in (q, k, v))

    scores = torch.bmm(q3, k3.permute(0, 2, 1)).mul(1.0 / d_k**0.5)
    if mask is None:
        weights = scores.softmax(2)
    else:
        m = mask.broadcast_to(*lead, t_q, t_k).reshape(-1, t_q, t_k)
        silent = ~m.any(2, keepdim=True)
        scores = scores.masked_fill(~(m | silent), float("-inf"))
        weights = scores.softmax(2).masked_fill(silent, 0)
    return torch.bmm(weights, v3).reshape(*lead, t_q, d_v), weights.reshape(*lead, t_q, t_k)
# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    real = tokens.ne(pad_id)
    return real.reshape(real.size(0), 1, 1, real.size(1))
# %% solution="causal_mask"
def causal_mask(size, device=None):
    steps = torch.arange(size, device=device)
    return steps.unsqueeze(0).le(steps.unsqueeze(1))
