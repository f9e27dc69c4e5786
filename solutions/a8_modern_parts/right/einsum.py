# Einsum for every sum, and each turn a matrix of two by two.
# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        mean = torch.einsum("...d,...d->...", x, x) / x.shape[-1]
        return torch.einsum("...d,...,d->...d", x, (mean + self.eps).rsqrt(), self.weight)


# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    d_k = x.shape[-1]
    if d_k % 2:
        raise ValueError(f"{d_k} columns do not pair up")
    i = torch.arange(d_k // 2, device=x.device, dtype=x.dtype)
    angle = torch.einsum("t,i->ti", positions.to(x.dtype), base ** (-2 * i / d_k))
    cos, sin = torch.cos(angle), torch.sin(angle)
    matrix = torch.stack([torch.stack([cos, -sin], -1), torch.stack([sin, cos], -1)], -2)
    pairs = x.unflatten(-1, (d_k // 2, 2))
    return torch.einsum("tirc,bhtic->bhtir", matrix, pairs).flatten(-2)


# %% solution="swiglu"
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        z = torch.einsum("...d,fd->...f", x, self.gate.weight)
        up = torch.einsum("...d,fd->...f", x, self.up.weight)
        return torch.einsum("...f,...f,...f,df->...d", z, torch.sigmoid(z), up, self.down.weight)


# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        for one, other in ((d_model, n_heads), (n_heads, n_kv_heads)):
            if one % other:
                raise ValueError(f"{one} is not a multiple of {other}")
        self.n_heads, self.n_kv_heads, self.d_k = n_heads, n_kv_heads, d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.v_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        batch, t, _ = x.shape
        groups = self.n_heads // self.n_kv_heads
        q = self.q_proj(x).reshape(batch, t, self.n_kv_heads, groups, self.d_k)
        k = self.k_proj(x).reshape(batch, t, self.n_kv_heads, self.d_k)
        v = self.v_proj(x).reshape(batch, t, self.n_kv_heads, self.d_k)
        scores = torch.einsum("bqghd,bkgd->bghqk", q, k) / self.d_k**0.5
        if mask is not None:
            mask = mask.broadcast_to(batch, self.n_heads, t, t).reshape(scores.shape)
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = scores.softmax(-1)
        if mask is not None:
            weights = weights * mask
        answers = torch.einsum("bghqk,bkgd->bqghd", weights, v)
        return self.out_proj(answers.reshape(batch, t, -1))
