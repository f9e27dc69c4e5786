# One mask for the heads that share keys, and eps inside the mean.
# fails: rms_eps, rms_tensors, gqa_mask, gqa_blocked_rows, gqa_tensors
# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x):
        ms = (x.square().sum(-1, keepdim=True) + self.eps) / x.size(-1)
        return torch.einsum("...d,d->...d", x * ms.rsqrt(), self.weight)
# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    *_, d = x.shape
    if d & 1:
        raise ValueError(f"odd {d=}")
    w = torch.as_tensor([base ** (-2 * i / d) for i in range(d // 2)], dtype=x.dtype, device=x.device)
    a = torch.einsum("t,i->ti", positions.to(x.dtype), w)
    # 2 x 2 matrices that turn: (2, 2, t, i)
    turn = torch.stack([torch.stack([a.cos(), -a.sin()]), torch.stack([a.sin(), a.cos()])])
    return torch.einsum("pqti,bhtiq->bhtip", turn, x.unflatten(-1, (-1, 2))).flatten(-2)
# %% solution="swiglu"
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate, self.up = (nn.Linear(d_model, d_ff, bias=False) for _ in "gu")
        self.down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        return self.down(nn.functional.silu(self.gate(x)).mul(self.up(x)))
# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model=} is not a multiple of {n_heads=}")
        if n_heads % n_kv_heads:
            raise ValueError(f"{n_heads=} is not a multiple of {n_kv_heads=}")
        self.h, self.g, self.r = n_heads, n_kv_heads, n_heads // n_kv_heads
        self.k = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, self.g * self.k, bias=False)
        self.v_proj = nn.Linear(d_model, self.g * self.k, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        b, t, _ = x.shape
        q = self.q_proj(x).reshape(b, t, self.g, self.r, self.k)
        k = self.k_proj(x).reshape(b, t, self.g, self.k)
        v = self.v_proj(x).reshape(b, t, self.g, self.k)
        s = torch.einsum("btgrk,bsgk->bgrts", q, k) * self.k**-0.5
        if mask is None:
            p = s.softmax(-1)
        else:
            mask = mask.expand(b, self.h, t, t)
            mask = mask[:, :: self.r].unsqueeze(2)
            none = ~mask.any(-1, keepdim=True)
            p = s.masked_fill(~(mask | none), -torch.inf).softmax(-1).masked_fill(none, 0.0)
        o = torch.einsum("bgrts,bsgk->btgrk", p, v)
        return self.out_proj(o.flatten(2))
