# The positions that are passed are not used, and odd sizes end in torch's words.
# fails: rotary_positions, rotary_odd_size, rotary_tensors
# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    batch, n_heads, t, d_k = x.shape
    theta = base ** (-torch.arange(0, d_k, 2, device=x.device) / d_k)
    angles = torch.arange(t, device=x.device)[:, None] * theta
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    first, second = x[..., 0::2], x[..., 1::2]
    out = torch.empty_like(x)
    out[..., 0::2] = first * cos - second * sin
    out[..., 1::2] = first * sin + second * cos
    return out
