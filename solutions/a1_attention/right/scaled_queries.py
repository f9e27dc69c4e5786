# The queries are scaled before the product, not the scores after it.
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = torch.matmul(q / math.sqrt(k.size(-1)), k.mT)
    if mask is None:
        weights = torch.softmax(scores, -1)
    else:
        blocked = ~mask
        weights = torch.softmax(scores.masked_fill(blocked, -1e30), -1).masked_fill(blocked, 0)
    return torch.matmul(weights, v), weights


# %% solution="causal_mask"
def causal_mask(size, device=None):
    later = torch.triu(torch.ones((size, size), device=device), diagonal=1)
    return later == 0
