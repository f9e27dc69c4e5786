# A softmax of its own.
# %% solution="attention"
def softmax_over_keys(scores, mask):
    # subtract the largest allowed score of each row, so that exp never overflows
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    largest = scores.amax(dim=-1, keepdim=True).detach()
    largest = torch.where(torch.isinf(largest), torch.zeros_like(largest), largest)
    numerator = torch.exp(scores - largest)
    denominator = numerator.sum(dim=-1, keepdim=True)
    # a row without any key: 0 / 1 instead of 0 / 0
    denominator = torch.where(denominator == 0, torch.ones_like(denominator), denominator)
    return numerator / denominator


def scaled_dot_product_attention(q, k, v, mask=None):
    scaled_q = q * q.shape[-1] ** -0.5
    weights = softmax_over_keys(torch.matmul(scaled_q, k.transpose(-2, -1)), mask)
    return torch.matmul(weights, v), weights

# %% solution="causal_mask"
def causal_mask(size, device=None):
    later = torch.ones((size, size), device=device).triu(diagonal=1)
    return later == 0
