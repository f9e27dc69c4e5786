# The number of the pair, not of the column, stands in the exponent; and asserts.
# fails: rotary_*
# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    d_k = x.shape[-1]
    assert d_k % 2 == 0, f"d_k must be even, got {d_k}"
    i = torch.arange(d_k // 2, device=x.device)
    angles = positions[:, None] / base ** (i / d_k)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    first, second = x[..., 0::2], x[..., 1::2]
    return torch.stack((first * cos - second * sin, first * sin + second * cos), -1).flatten(-2)
