# The angles come from a table of 512 positions.
# fails: rotary_positions
# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    d_k = x.shape[-1]
    if d_k % 2 != 0:
        raise ValueError(f"d_k must be even, got {d_k}")
    theta = base ** (-torch.arange(0, d_k, 2, device=x.device) / d_k)
    table = torch.arange(512, device=x.device)[:, None] * theta
    angles = table[positions]
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    first, second = x[..., 0::2], x[..., 1::2]
    return torch.stack((first * cos - second * sin, first * sin + second * cos), -1).flatten(-2)
