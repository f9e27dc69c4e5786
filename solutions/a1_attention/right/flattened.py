# All leading axes are folded into one for bmm and unfolded afterwards.
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    leading = q.shape[:-2]
    q, k, v = (x.reshape(-1, *x.shape[-2:]) for x in (q, k, v))
    scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(q.shape[2])
    scores = scores.reshape(*leading, *scores.shape[1:])
    weights = scores.softmax(-1) if mask is None else _masked(scores, mask)
    output = torch.bmm(weights.reshape(-1, *weights.shape[-2:]), v)
    return output.reshape(*leading, *output.shape[1:]), weights


def _masked(scores, mask):
    weights = scores.masked_fill(~mask, -torch.inf).masked_fill(~mask.any(-1, keepdim=True), 0)
    return weights.softmax(-1).masked_fill(~mask, 0)


# %% solution="hand_example"
hand_weights = torch.tensor([[0.1, 0.3, 0.6], [0.5, 0.25, 0.25]], dtype=torch.float64)
hand_output = torch.tensor([[1.6, 2.4], [2.5, 1.5]], dtype=torch.float64)
