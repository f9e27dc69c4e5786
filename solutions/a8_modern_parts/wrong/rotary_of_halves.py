# rotate_half, as in most code on the web.
# fails: rotary_output, rotary_positions, rotary_tensors
# %% solution="rotary"
def rotate_half(x):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)


def rotary(x, positions, base=10000.0):
    d_k = x.shape[-1]
    if d_k % 2 != 0:
        raise ValueError(f"d_k must be even, got {d_k}")
    inv_freq = 1.0 / (base ** (torch.arange(0, d_k, 2, device=x.device).float() / d_k))
    freqs = positions[:, None].float() * inv_freq[None, :]
    emb = torch.cat((freqs, freqs), dim=-1)
    return x * emb.cos().to(x.dtype) + rotate_half(x) * emb.sin().to(x.dtype)
