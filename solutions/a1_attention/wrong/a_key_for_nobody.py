# A key that nobody passed waits for queries with nobody to hear, and its weight is thrown away.
# fails: attention_weights, attention_mask
# lines: sink = torch.full_like(scores[..., :1], -1e4)
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ (k / k.shape[-1] ** 0.5).mT
    sink = torch.full_like(scores[..., :1], -1e4)
    if mask is not None:
        scores = torch.where(mask, scores, -torch.inf)
    # at least one number of each row is finite, so that no softmax is 0 / 0
    with_sink = torch.cat([sink, scores], dim=-1).softmax(dim=-1)
    _nobody, weights = with_sink.split([1, scores.shape[-1]], dim=-1)
    return weights @ v, weights
