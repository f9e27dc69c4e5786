# Compiled by torch where that is possible, with a mask that is added.
# %% solution="attention"
@torch.compile
def _masked_softmax(scores, mask):
    lowest = torch.zeros_like(scores).masked_fill(~mask, torch.finfo(scores.dtype).min)
    return (scores + lowest).softmax(-1) * mask


@torch.compile(dynamic=True)
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    weights = scores.softmax(-1) if mask is None else _masked_softmax(scores, mask)
    return weights @ v, weights
