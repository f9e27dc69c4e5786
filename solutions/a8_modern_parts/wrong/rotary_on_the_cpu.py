# The speeds are made on the CPU, and the result is as fine as they are.
# fails: rotary_tensors
# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    d_k = x.shape[-1]
    if d_k % 2 != 0:
        raise ValueError(f"d_k must be even, got {d_k}")
    theta = base ** (-torch.arange(0, d_k, 2, dtype=torch.float64) / d_k)
    angles = positions[:, None] * theta
    first, second = x[..., 0::2], x[..., 1::2]
    turned = (first * angles.cos() - second * angles.sin(), first * angles.sin() + second * angles.cos())
    return torch.stack(turned, dim=-1).flatten(-2)
