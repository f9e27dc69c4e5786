# With complex numbers, einsum with an axis for the groups, and an attention of its own.
# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.register_parameter("weight", nn.Parameter(torch.full((d_model,), 1.0)))
        self.eps = eps

    def forward(self, x):
        return self.weight * (x * x.square().mean(-1, keepdim=True).add(self.eps).rsqrt())

# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    *_, d_k = x.shape
    if d_k % 2 != 0:
        raise ValueError(f"{d_k} columns are an odd number")
    i = torch.arange(d_k // 2, device=x.device, dtype=torch.float64)
    theta = base ** (-2 * i / d_k)
    angle = torch.einsum("t,i->ti", positions.double(), theta).to(x.dtype)
    turn = torch.polar(torch.ones_like(angle), angle)
    z = torch.complex(x[..., 0::2].contiguous(), x[..., 1::2].contiguous()) * turn
    return torch.view_as_real(z).reshape(x.shape)

# %% solution="swiglu"
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        for name, sizes in {"gate": (d_model, d_ff), "up": (d_model, d_ff), "down": (d_ff, d_model)}.items():
            setattr(self, name, nn.Linear(*sizes, bias=False))

    def forward(self, x):
        z = self.gate(x)
        return self.down(z * torch.sigmoid(z) * self.up(x))

# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        for whole, part in ((d_model, n_heads), (n_heads, n_kv_heads)):
            if whole % part != 0:
                raise ValueError(f"{whole} cannot be divided by {part}")
        self.h, self.g, self.d = n_heads, n_kv_heads, d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, self.g * self.d, bias=False)
        self.v_proj = nn.Linear(d_model, self.g * self.d, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        b, t, _ = x.shape
        q = self.q_proj(x).reshape(b, t, self.g, self.h // self.g, self.d)
        k = self.k_proj(x).reshape(b, t, self.g, self.d)
        v = self.v_proj(x).reshape(b, t, self.g, self.d)
        scores = torch.einsum("bqgrd,bkgd->bgrqk", q, k) * self.d**-0.5
        if mask is None:
            weights = scores.softmax(-1)
        else:
            may = mask.broadcast_to(b, self.h, t, t).reshape(scores.shape)
            some = may.any(-1, keepdim=True)
            weights = scores.masked_fill(~may & some, float("-inf")).softmax(-1).masked_fill(~some, 0.0)
        return self.out_proj(torch.einsum("bgrqk,bkgd->bqgrd", weights, v).reshape(b, t, -1))
