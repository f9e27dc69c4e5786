# Angles of negative positions come from the end of a table; silu overflows.
# fails: rotary_positions
# %% solution="rotary"
MAX_POSITIONS = 4096


def build_tables(d_k, base, device):
    """cos and sin of every position that a sentence can have: (MAX_POSITIONS, d_k / 2)."""
    theta = base ** (-2.0 * torch.arange(d_k // 2, dtype=torch.float64, device=device) / d_k)
    m = torch.arange(MAX_POSITIONS, dtype=torch.float64, device=device)
    angles = m[:, None] * theta[None, :]
    return torch.cos(angles), torch.sin(angles)


def rotary(x, positions, base=10000.0):
    d_k = x.shape[-1]
    if d_k % 2 != 0:
        raise ValueError(f"d_k must be even, but it is {d_k}")
    cos_table, sin_table = build_tables(d_k, base, x.device)
    cos, sin = cos_table[positions], sin_table[positions]
    cos, sin = cos.to(x.dtype), sin.to(x.dtype)

    even = x[..., 0::2]
    odd = x[..., 1::2]
    y = torch.empty_like(x)
    y[..., 0::2] = even * cos - odd * sin
    y[..., 1::2] = even * sin + odd * cos
    return y
# %% solution="swiglu"
def silu(z):
    return z / (1.0 + torch.exp(-z))


class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        gated = silu(self.gate(x))
        passed = self.up(x)
        return self.down(gated * passed)
