# The pairs are written into x.
# fails: rotary_tensors
# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    d_k = x.shape[-1]
    if d_k % 2 != 0:
        raise ValueError(f"d_k must be even, got {d_k}")
    theta = base ** (-torch.arange(0, d_k, 2, device=x.device) / d_k)
    angles = positions[:, None] * theta
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    first, second = x[..., 0::2].clone(), x[..., 1::2].clone()
    x[..., 0::2] = first * cos - second * sin
    x[..., 1::2] = first * sin + second * cos
    return x
