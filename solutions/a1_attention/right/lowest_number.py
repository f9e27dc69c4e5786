# Filled with the dtype's lowest number; blocked weights are multiplied away.
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    """See the notebook."""
    d_k = q.shape[-1]
    scores = torch.matmul(q, torch.swapaxes(k, -2, -1)).div(math.sqrt(d_k))
    if mask is not None:
        scores.masked_fill_(mask == False, torch.finfo(scores.dtype).min)  # noqa: E712
    weights = torch.nn.functional.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask
    output = torch.matmul(weights, v)
    return (output, weights)


# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    return (tokens != pad_id).reshape(tokens.size(0), 1, 1, tokens.size(1))


# %% solution="causal_mask"
def causal_mask(size, device=None):
    index = torch.arange(size, device=device)
    return index.unsqueeze(1).ge(index)
