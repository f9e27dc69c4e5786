# The attention writes the softmax itself as exp divided by its sum.
# fails: attention_weights, attention_mask
# lines: exponentials = torch.exp(scores)
# %% solution="attention"
def raw_scores(query, key):
    return torch.matmul(query, key.transpose(-2, -1))


def scale_scores(scores, d_k):
    return scores / math.sqrt(d_k)


def softmax_over_keys(scores):
    exponentials = torch.exp(scores)
    total = exponentials.sum(dim=-1, keepdim=True)
    # all keys blocked: everything is exp(-inf) = 0, do not divide by zero
    total = torch.where(total == 0, torch.ones_like(total), total)
    return exponentials / total


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = scale_scores(raw_scores(q, k), q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask == False, float("-inf"))
    weights = softmax_over_keys(scores)
    context = torch.matmul(weights, v)
    return context, weights
