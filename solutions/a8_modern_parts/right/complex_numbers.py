# A pair is a complex number, and turning it is a product.
# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    *shape, d_k = x.shape
    if d_k % 2:
        raise ValueError(f"an odd d_k: {d_k}")
    speeds = 1.0 / base ** (torch.arange(0, d_k, 2, device=x.device).float() / d_k)
    angles = torch.outer(positions.float(), speeds)
    hands = torch.polar(torch.ones_like(angles), angles)  # (t, d_k / 2), complex64
    pairs = torch.view_as_complex(x.reshape(*shape, d_k // 2, 2).contiguous())
    return torch.view_as_real(pairs * hands).flatten(-2).type_as(x)
