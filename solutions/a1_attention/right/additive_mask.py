# A mask of 0 and -inf is added; queries that see nothing are taken out before the softmax.
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
    if mask is None:
        weights = scores.softmax(dim=-1)
        return weights @ v, weights
    bias = torch.zeros(mask.shape, dtype=q.dtype, device=q.device)
    bias.masked_fill_(~mask, float("-inf"))
    sees_something = mask.any(dim=-1, keepdim=True)
    # -inf in a whole row would give NaN, whose gradient no later step can repair.
    weights = torch.where(sees_something, scores + bias, 0.0).softmax(dim=-1)
    weights = torch.where(sees_something, weights, 0.0)
    return weights @ v, weights


# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    is_pad = tokens == pad_id
    return ~is_pad[:, None, None]
