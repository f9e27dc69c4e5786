# One mean for a sentence, half an exponent, the wrong axis for odd, and rows opened in place.
# fails: rms_output, rms_eps, rms_tensors, rotary_output, rotary_positions, rotary_odd_size, rotary_tensors, swiglu_output, gqa_tensors
# lines: axes = tuple(range(1, x.dim())) or (0,)
# lines: theta = torch.pow(base, -i / x.size(3))
# lines: if x.size(2) % 2:
# lines: raise ValueError(f"{x.size(2)} is odd")
# lines: self.down = nn.Linear(d_ff, d_model)
# lines: mask.logical_or_(empty)
# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.epsilon = eps

    def forward(self, x):
        axes = tuple(range(1, x.dim())) or (0,)
        ms = torch.mean(x * x, dim=axes, keepdim=True)
        return torch.einsum("...d,d->...d", x * torch.rsqrt(ms + self.epsilon), self.weight)

# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    if x.size(2) % 2:
        raise ValueError(f"{x.size(2)} is odd")
    half = x.size(3) // 2
    i = torch.arange(half, device=x.device, dtype=x.dtype)
    theta = torch.pow(base, -i / x.size(3))
    angle = torch.einsum("t,i->ti", positions.to(x.dtype), theta)
    cos, sin = angle.cos(), angle.sin()
    turn = torch.stack([torch.stack([cos, -sin], -1), torch.stack([sin, cos], -1)], -2)
    return torch.einsum("tipq,bhtiq->bhtip", turn, x.unflatten(-1, (half, 2))).flatten(-2)

# %% solution="swiglu"
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.down(torch.einsum("...f,...f->...f", nn.SiLU()(self.gate(x)), self.up(x)))

# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{n_heads} heads cannot share {d_model} numbers")
        if n_heads % n_kv_heads:
            raise ValueError(f"{n_kv_heads} key heads cannot serve {n_heads} query heads")
        self.n_heads, self.n_kv_heads = n_heads, n_kv_heads
        d_kv = d_model // n_heads * n_kv_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, d_kv, bias=False)
        self.v_proj = nn.Linear(d_model, d_kv, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        b, t, m = x.shape
        g, d = self.n_kv_heads, m // self.n_heads
        q = self.q_proj(x).reshape(b, t, g, -1, d)
        k = self.k_proj(x).reshape(b, t, g, d)
        v = self.v_proj(x).reshape(b, t, g, d)
        s = torch.einsum("bigrd,bjgd->bgrij", q, k) / d**0.5
        s = s.reshape(b, self.n_heads, t, t)
        if mask is None:
            w = s.softmax(-1)
        else:
            empty = ~mask.any(-1, keepdim=True)
            mask.logical_or_(empty)
            w = s.masked_fill(~mask, -torch.inf).softmax(-1).masked_fill(empty, 0.0)
        w = w.reshape(b, g, -1, t, t)
        return self.out_proj(torch.einsum("bgrij,bjgd->bigrd", w, v).reshape(b, t, m))
