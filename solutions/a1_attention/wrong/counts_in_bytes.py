# The largest score of all and a millionth more, a mask counted in bytes, and an early end.
# fails: attention_*, padding_mask, causal_mask, masks_together
# lines: top = torch.amax(x).detach()
# lines: return e / (total + 1e-6)
# lines: real = torch.not_equal(tokens, pad_id).cumprod(dim=1).bool()
# lines: index = torch.arange(size, device=device).to(torch.uint8)
# %% solution="attention"
def softmax(x, axis=-1):
    top = torch.amax(x).detach()
    top = torch.where(torch.isinf(top), 0.0, top)
    e = torch.exp(x - top)
    total = torch.sum(e, dim=axis, keepdim=True)
    return e / (total + 1e-6)


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = torch.matmul(q, torch.swapaxes(k, -1, -2)) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = torch.where(mask, scores, -math.inf)
    weights = softmax(scores, axis=-1)
    return torch.matmul(weights, v), weights

# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    real = torch.not_equal(tokens, pad_id).cumprod(dim=1).bool()
    return real[:, None, None, :]

# %% solution="causal_mask"
def causal_mask(size, device=None):
    index = torch.arange(size, device=device).to(torch.uint8)
    return torch.greater_equal(index[:, None], index[None, :])
