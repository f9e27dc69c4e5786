# A numpy user who writes the softmax out by hand.
# fails: attention_output, attention_weights, attention_scale, attention_mask, attention_blocked_rows, attention_gradients, attention_tensors, padding_mask, masks_together
# %% solution="attention"
def _softmax(z, keep):
    e = torch.exp(z - z.max())
    if keep is not None:
        e = torch.where(keep, e, torch.zeros_like(e))
    return e / (e.sum(axis=-1, keepdims=True) + 1e-8)


def scaled_dot_product_attention(q, k, v, mask=None):
    # scores[..., i, j] = q_i . k_j
    scores = q @ k.swapaxes(-1, -2)
    scores = scores / math.sqrt(q.shape[-1])
    w = _softmax(scores, mask)
    return w @ v, w
# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    real = tokens != pad_id
    return real[:, None, :, None]
# %% solution="causal_mask"
def causal_mask(size, device=None):
    idx = torch.arange(size, device=device)
    return idx[:, None] >= idx[None, :]
