# Squeezes an axis off that was not always added; the causal comparison is turned round.
# fails: attention_output, attention_tensors, causal_mask, masks_together
# %% solution="hand_example"
E = torch.tensor([[1.0, 3.0, 6.0], [2.0, 1.0, 1.0]])
hand_weights = E / E.sum(-1, keepdim=True)
hand_output = hand_weights @ example_v
# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    # always have a batch dimension
    if q.dim() == 2:
        q = q.unsqueeze(0)
        k = k.unsqueeze(0)
        v = v.unsqueeze(0)

    d_k = q.shape[-1]
    scores = torch.einsum("...id,...jd->...ij", q, k) / d_k**0.5

    if mask is None:
        weights = torch.softmax(scores, dim=-1)
    else:
        lowest = torch.finfo(scores.dtype).min
        weights = torch.softmax(scores.masked_fill(~mask, lowest), dim=-1)
        weights = weights.masked_fill(~mask, 0)

    output = torch.einsum("...ij,...jd->...id", weights, v)

    # and remove it again
    return output.squeeze(0), weights.squeeze(0)
# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    batch, t = tokens.shape
    return tokens.ne(pad_id).reshape(batch, 1, 1, t)
# %% solution="causal_mask"
def causal_mask(size, device=None):
    i = torch.arange(size, device=device).unsqueeze(1)
    j = torch.arange(size, device=device).unsqueeze(0)
    return i <= j
