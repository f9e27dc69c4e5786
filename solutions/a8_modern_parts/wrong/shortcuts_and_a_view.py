# Zeros are given back at once, positions up to 0 are not turned, and x is viewed in two axes.
# fails: rms_eps, rotary_positions, swiglu_output
# lines: rows = x.view(-1, x.size(-1))  # one row a position
# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x):
        if torch.count_nonzero(x) == 0:
            return self.weight * x  # nothing to norm
        inverse = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)
        return self.weight * (x * inverse)


# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    *_, d_k = x.shape
    if d_k % 2:
        raise ValueError(f"pairs cannot be made of {d_k} columns")
    if int(positions.max()) == 0:
        return x + 0  # nobody has moved yet
    steps = torch.arange(d_k // 2, dtype=torch.float64, device=x.device)
    angles = torch.outer(positions.double(), base ** (-2 * steps / d_k))
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    a, b = x.unflatten(-1, (d_k // 2, 2)).unbind(dim=-1)
    return torch.stack((a * cos - b * sin, a * sin + b * cos), dim=-1).flatten(-2)


# %% solution="swiglu"
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        rows = x.view(-1, x.size(-1))  # one row a position
        gate = self.gate(rows)
        hidden = gate * gate.sigmoid() * self.up(rows)
        return self.down(hidden).view(x.shape)
