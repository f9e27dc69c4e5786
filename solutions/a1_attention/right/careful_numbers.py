# Small numbers against a division by 0, and the idioms of older code that ran on a GPU.
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1) + 1e-12)
    if mask is None:
        weights = torch.softmax(scores, -1)
        return weights @ v, weights
    allowed = torch.autograd.Variable(mask).expand_as(scores)
    bias = torch.zeros(scores.size()).type_as(scores)
    bias[~allowed] = torch.finfo(scores.dtype).min
    kept = mask.type(scores.type())
    weights = torch.softmax(scores * kept + bias, -1) * kept
    return weights @ v, weights


# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    mask = torch.ones(tokens.size(), dtype=torch.bool).to(tokens.device)
    mask[tokens == pad_id] = False
    return mask.view(tokens.size(0), 1, 1, tokens.size(1))


# %% solution="causal_mask"
def causal_mask(size, device=None):
    lines = [[column <= row for column in range(size)] for row in range(size)]
    mask = torch.empty(size, size, dtype=torch.bool, device=device)
    mask.copy_(torch.tensor(lines))
    return mask
