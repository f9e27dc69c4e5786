# All leading axes are one, the softmax is a logsumexp; rows without a key are opened first.
# %% solution="hand_example"
exponentials = torch.tensor([[1.0, 3.0, 6.0], [2.0, 1.0, 1.0]])
hand_weights = exponentials / exponentials.sum(dim=1, keepdim=True)
hand_output = torch.stack(
    [sum(w * v for w, v in zip(row, [torch.tensor([4.0, 0.0]), torch.tensor([0.0, 4.0]), torch.tensor([2.0, 2.0])]))
     for row in hand_weights]
)
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    *lead, t_q, d_k = q.shape
    t_k, d_v = v.shape[-2:]
    n = math.prod(lead)
    scores = torch.bmm(q.reshape(n, t_q, d_k), k.reshape(n, t_k, d_k).permute(0, 2, 1)).mul(d_k**-0.5)
    if mask is not None:
        may = mask.expand(*lead, t_q, t_k).reshape(n, t_q, t_k)
        alive = may.any(dim=2, keepdim=True)
        scores = scores.masked_fill(~(may | ~alive), -math.inf)
    weights = (scores - scores.logsumexp(dim=2, keepdim=True)).exp()
    if mask is not None:
        weights = weights.masked_fill(~alive, 0.0)
    output = torch.bmm(weights, v.reshape(n, t_k, d_v))
    return output.reshape(*lead, t_q, d_v), weights.reshape(*lead, t_q, t_k)
# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    batch, t = tokens.shape
    return torch.logical_not(tokens.eq(pad_id)).reshape(batch, 1, 1, t)
# %% solution="causal_mask"
def causal_mask(size, device=None):
    i = torch.arange(size, device=device)
    return i[:, None] >= i
