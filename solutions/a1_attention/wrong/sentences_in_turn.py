# Goes through the sentences one by one, each with its own mask, and reads ids as short numbers.
# fails: attention_mask, attention_tensors, padding_mask
# lines: own = (mask[n % mask.shape[0]] for n in range(q.shape[0]))
# lines: short = tokens.short()
# %% solution="attention"
def masks_of(mask, q):
    if mask is None or mask.ndim < 3:
        return [mask] * q.shape[0]
    own = (mask[n % mask.shape[0]] for n in range(q.shape[0]))
    return list(own)


def scaled_dot_product_attention(q, k, v, mask=None):
    if q.ndim > 2:
        problems = zip(q, k, v, masks_of(mask, q), strict=True)
        found = [scaled_dot_product_attention(*problem) for problem in problems]
        output, weights = (torch.stack(each) for each in zip(*found, strict=True))
        return output, weights
    scores = q @ k.mT * q.shape[-1] ** -0.5
    if mask is None:
        weights = scores.softmax(-1)
        return weights @ v, weights
    scores = scores.masked_fill(mask.logical_not(), torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1).masked_fill(mask.logical_not(), 0)
    return weights @ v, weights


# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    short = tokens.short()
    return (short != pad_id)[:, None, None]
