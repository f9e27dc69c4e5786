# Exponents by linspace reach 1, and the mask's heads are cut in another order.
# fails: rotary_output, rotary_positions, rotary_tensors, gqa_mask, gqa_blocked_rows, gqa_tensors
# lines: theta = base ** -torch.linspace(0.0, 1.0, half, dtype=x.dtype, device=x.device)
# lines: allowed = allowed.reshape(b, self.group, self.n_kv_heads, t, t).transpose(1, 2)
# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-6):
        super().__init__()
        self.d_model = d_model
        self.eps = eps
        self.weight = nn.Parameter(torch.ones((d_model,)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        ms = torch.einsum("...d,...d->...", x, x) / self.d_model
        return torch.einsum("...d,...,d->...d", x, (ms + self.eps).rsqrt(), self.weight)

# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    d_k = x.shape[-1]
    half, odd = divmod(d_k, 2)
    if odd:
        raise ValueError(f"cannot pair {d_k} columns")
    theta = base ** -torch.linspace(0.0, 1.0, half, dtype=x.dtype, device=x.device)
    angles = torch.einsum("t,i->ti", positions.to(x.dtype), theta)
    c, s = angles.cos(), angles.sin()
    turn = torch.stack((torch.stack((c, -s), -1), torch.stack((s, c), -1)), -2)  # (t, half, 2, 2)
    pairs = x.unflatten(-1, (half, 2))
    return torch.einsum("tirc,bhtic->bhtir", turn, pairs).flatten(-2)

# %% solution="swiglu"
class SwiGLU(nn.Module):
    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        self.gate, self.up = (nn.Linear(d_model, d_ff, bias=False) for _ in range(2))
        self.down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.down(nn.functional.silu(self.gate(x)).mul(self.up(x)))

# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model: int, n_heads: int, n_kv_heads: int):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model=} cannot be cut into {n_heads=}")
        if n_heads % n_kv_heads:
            raise ValueError(f"{n_heads=} cannot share {n_kv_heads=}")
        self.n_heads, self.n_kv_heads, self.group = n_heads, n_kv_heads, n_heads // n_kv_heads
        self.d_k = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.v_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        b, t, _ = x.shape
        # letters: b batch, q query, s key, k kv head, g head in its group, d column
        q = self.q_proj(x).reshape(b, t, self.n_kv_heads, self.group, self.d_k)
        k = self.k_proj(x).reshape(b, t, self.n_kv_heads, self.d_k)
        v = self.v_proj(x).reshape(b, t, self.n_kv_heads, self.d_k)
        scores = torch.einsum("bqkgd,bskd->bkgqs", q, k) / self.d_k**0.5
        if mask is None:
            weights = scores.softmax(dim=-1)
        else:
            allowed = mask.broadcast_to(b, self.n_heads, t, t)
            allowed = allowed.reshape(b, self.group, self.n_kv_heads, t, t).transpose(1, 2)
            scores = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min)
            weights = scores.softmax(dim=-1).masked_fill(~allowed, 0.0)
        heads = torch.einsum("bkgqs,bskd->bqkgd", weights, v)
        return self.out_proj(heads.reshape(b, t, -1))
