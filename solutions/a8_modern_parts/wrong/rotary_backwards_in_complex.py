# The complex hands are conjugated, so everything turns the other way.
# fails: rotary_output, rotary_positions, rotary_tensors
# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    d_k = x.shape[-1]
    if d_k % 2 != 0:
        raise ValueError(f"d_k must be even, got {d_k}")
    theta = base ** (-torch.arange(0, d_k, 2, device=x.device) / d_k)
    hands = torch.exp(-1j * positions[:, None] * theta)
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2).contiguous())
    return torch.view_as_real(pairs * hands).flatten(-2).to(x.dtype)
