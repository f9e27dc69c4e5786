# The softmax runs over scores times mask, and what is left is divided by its sum.
# fails: attention_mask
# lines: probs = torch.softmax(scores * m, dim=-1)
# %% solution="attention"
def masked_softmax(scores, mask):
    """Softmax over the last axis, only over the entries where mask is 1."""
    if mask is None:
        return torch.softmax(scores, dim=-1)
    m = mask.to(scores.dtype)
    # multiply before *and* after, then renormalise what is left
    probs = torch.softmax(scores * m, dim=-1)
    probs = probs * m
    total = probs.sum(dim=-1, keepdim=True)
    # rows where nothing is left have total == 0, do not divide by that
    return probs / torch.where(total == 0, torch.ones_like(total), total)


def scaled_dot_product_attention(q, k, v, mask=None):
    d_k = q.shape[-1]
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(d_k)
    weights = masked_softmax(scores, mask)
    return torch.matmul(weights, v), weights
