# Rotation by complex numbers, and groups in a loop.
# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.register_parameter("weight", nn.Parameter(torch.ones(d_model)))
        self.eps = eps

    def extra_repr(self):
        return f"{self.weight.numel()}, eps={self.eps}"

    def forward(self, x):
        mean = torch.einsum("...d,...d->...", x, x) / x.shape[-1]
        return torch.einsum("...d,...,d->...d", x, (mean + self.eps) ** -0.5, self.weight)


# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    *_, d_k = x.shape
    if d_k % 2:
        raise ValueError(f"{d_k} columns cannot be paired")
    i = torch.arange(d_k // 2, dtype=torch.float64, device=x.device)
    angles = torch.outer(positions.double(), float(base) ** (-2 * i / d_k))
    turns = torch.polar(torch.ones_like(angles), angles)
    arrows = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(arrows * turns).flatten(-2).to(x.dtype)


# %% solution="swiglu"
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        wide, narrow = (d_model, d_ff), (d_ff, d_model)
        for name, sizes in {"gate": wide, "up": wide, "down": narrow}.items():
            setattr(self, name, nn.Linear(*sizes, bias=False))

    def forward(self, x):
        z = x @ self.gate.weight.T
        return (z * z.sigmoid() * (x @ self.up.weight.T)) @ self.down.weight.T


# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError("cannot divide %d by %d" % (d_model, n_heads))
        if n_heads % n_kv_heads != 0:
            raise ValueError("cannot divide %d by %d" % (n_heads, n_kv_heads))
        self.n_heads = n_heads
        self.n_kv_heads = n_kv_heads
        self.d_k = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.v_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        batch, t, _ = x.shape
        queries = self.q_proj(x).split(self.d_k, dim=-1)
        keys = self.k_proj(x).split(self.d_k, dim=-1)
        values = self.v_proj(x).split(self.d_k, dim=-1)
        if mask is not None:
            mask = mask.expand(batch, self.n_heads, t, t)
        answers = []
        for h in range(self.n_heads):
            g = h // (self.n_heads // self.n_kv_heads)
            own = None if mask is None else mask[:, h]
            answer, _ = scaled_dot_product_attention(queries[h], keys[g], values[g], own)
            answers.append(answer)
        return self.out_proj(torch.cat(answers, dim=-1))
