# A root without its fraction, a mask turned in place, and a cache that forgets the device.
# fails: attention_scale, attention_tensors, causal_mask
# lines: scale = 1 / math.isqrt(d_k)      # no float error this way
# lines: blocked = mask.logical_not_()
# lines: if size not in _MASKS:
# %% solution="hand_example"
hand_weights, hand_output = (
    torch.tensor([[.1, .3, .6], [.5, .25, .25]]),
    torch.tensor([[1.6, 2.4], [2.5, 1.5]]),
)

# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    d_k = q.shape[-1]
    scale = 1 / math.isqrt(d_k)      # no float error this way
    att = (q * scale) @ k.mT
    if mask is None:
        w = att.softmax(dim=-1)
        return w @ v, w
    blocked = mask.logical_not_()
    lowest = torch.finfo(att.dtype).min
    w = att.masked_fill(blocked, lowest).softmax(dim=-1).masked_fill(blocked, 0.0)
    return w @ v, w

# %% solution="padding_mask"
def padding_mask(tokens, pad_id=0):
    b, t = tokens.shape
    return torch.not_equal(tokens, pad_id).view(b, 1, 1, t)

# %% solution="causal_mask"
_MASKS = {}


def causal_mask(size, device=None):
    # building it anew for every layer is a waste
    if size not in _MASKS:
        _MASKS[size] = torch.tril(torch.ones((size, size), device=device)) > 0
    return _MASKS[size].clone()
