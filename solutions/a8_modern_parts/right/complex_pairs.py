# Turns with complex numbers, and gives the queries an axis for the groups.
# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps))
# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    d_k = x.size(-1)
    if d_k % 2:
        raise ValueError(f"d_k={d_k} is odd: the last column has nobody to turn with")
    speeds = base ** (-torch.arange(0, d_k, 2, dtype=torch.float64, device=x.device) / d_k)
    angles = positions.double()[:, None] * speeds
    hands = torch.polar(torch.ones_like(angles), angles)
    pairs = x.double().contiguous().unflatten(-1, (d_k // 2, 2)).contiguous()
    turned = torch.view_as_complex(pairs) * hands
    return torch.view_as_real(turned).flatten(-2).to(x.dtype)
# %% solution="swiglu"
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        opened = self.gate(x)
        return self.down(opened * torch.sigmoid(opened) * self.up(x))
# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model={d_model} is not divisible by n_heads={n_heads}")
        if n_heads % n_kv_heads:
            raise ValueError(f"n_heads={n_heads} is not divisible by n_kv_heads={n_kv_heads}")
        self.n_heads, self.n_kv_heads, self.d_k = n_heads, n_kv_heads, d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.v_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        b, t, _ = x.shape
        g, n = self.n_kv_heads, self.n_heads // self.n_kv_heads
        q = self.q_proj(x).unflatten(-1, (g, n, self.d_k))
        k = self.k_proj(x).unflatten(-1, (g, self.d_k))
        v = self.v_proj(x).unflatten(-1, (g, self.d_k))
        scores = torch.einsum("bqgnd,bkgd->bgnqk", q, k) / self.d_k**0.5
        if mask is None:
            weights = scores.softmax(-1)
        else:
            mask = mask.broadcast_to(b, self.n_heads, t, t).unflatten(1, (g, n))
            lowest = torch.finfo(scores.dtype).min
            weights = scores.masked_fill(~mask, lowest).softmax(-1).masked_fill(~mask, 0.0)
        return self.out_proj(torch.einsum("bgnqk,bkgd->bqgnd", weights, v).flatten(2))
