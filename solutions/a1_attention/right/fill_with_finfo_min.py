# Blocked scores are the least number of their dtype.
# %% solution="hand_example"
hand_weights = torch.tensor([[0.10, 0.30, 0.60],
                             [0.50, 0.25, 0.25]])
hand_output = torch.tensor([[1.60, 2.40],
                            [2.50, 1.50]])

# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    """Attention for any number of leading axes."""
    *_, d_k = q.shape
    scores = torch.einsum("... i d, ... j d -> ... i j", q, k).div(math.sqrt(d_k))
    if mask is None:
        weights = scores.softmax(dim=-1)
    else:
        blocked = mask.logical_not()
        # the smallest number there is; rows that are blocked throughout come out even ...
        scores = scores.masked_fill(blocked, torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=-1)
        # ... and are silenced here
        weights = weights.masked_fill(blocked, 0.0)
    output = torch.einsum("... i j, ... j d -> ... i d", weights, v)
    return output, weights

# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    batch, t = tokens.shape
    return torch.ne(tokens, pad_id).reshape(batch, 1, 1, t)

# %% solution="causal_mask"
def causal_mask(size, device=None):
    position = torch.arange(size, device=device)
    return position.unsqueeze(1) >= position.unsqueeze(0)
