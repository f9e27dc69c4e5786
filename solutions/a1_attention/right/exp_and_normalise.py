# The softmax by hand: the largest allowed score is taken away, then exp, then the row's sum.
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = (q @ k.transpose(-2, -1)) / math.sqrt(q.shape[-1])
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    scores = torch.where(mask, scores, -torch.inf)
    largest = scores.detach().amax(-1, keepdim=True)
    largest = torch.where(largest.isinf(), 0.0, largest)  # where all is blocked
    exponentials = torch.exp(scores - largest)
    total = exponentials.sum(-1, keepdim=True)
    weights = exponentials / torch.where(total == 0, 1.0, total)
    return weights @ v, weights
