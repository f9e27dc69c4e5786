# Saves memory wherever he can: in-place operations, buffers, preallocated outputs.
# fails: rms_eps, rms_tensors, rotary_tensors, swiglu_output, gqa_groups, gqa_mask, gqa_blocked_rows, gqa_tensors
# lines: self.register_buffer("weight", torch.ones(d_model))
# lines: x[..., 0::2] = even * c - odd * s
# lines: return self.down(nn.functional.silu(self.gate(x) * self.up(x)))
# lines: v = self.v_proj(x).reshape(b, t, self.d_k, self.n_kv).permute(0, 3, 1, 2)
# lines: blocked = mask.logical_not_()
# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.register_buffer("weight", torch.ones(d_model))

    def forward(self, x):
        r = x.square().mean(-1, keepdim=True).add(self.eps).sqrt()
        return x.div(r).mul(self.weight)


# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    d_k = x.shape[-1]
    if d_k % 2:
        raise ValueError(f"cannot pair d_k={d_k} columns")
    i = torch.arange(d_k // 2, device=x.device, dtype=torch.float64)
    a = positions.double().unsqueeze(1) * torch.pow(base, -2 * i / d_k)
    c, s = a.cos().to(x.dtype), a.sin().to(x.dtype)
    even, odd = x[..., 0::2].clone(), x[..., 1::2].clone()
    x[..., 0::2] = even * c - odd * s
    x[..., 1::2] = even * s + odd * c
    return x


# %% solution="swiglu"
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        return self.down(nn.functional.silu(self.gate(x) * self.up(x)))


# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model} % {n_heads} is not 0")
        if n_heads % n_kv_heads:
            raise ValueError(f"{n_heads} % {n_kv_heads} is not 0")
        self.n_heads, self.n_kv, self.d_k = n_heads, n_kv_heads, d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.v_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        b, t, d = x.shape
        q = self.q_proj(x).reshape(b, t, self.n_heads, self.d_k).transpose(1, 2)
        k = self.k_proj(x).reshape(b, t, self.n_kv, self.d_k).transpose(1, 2)
        v = self.v_proj(x).reshape(b, t, self.d_k, self.n_kv).permute(0, 3, 1, 2)
        share = self.n_heads // self.n_kv
        k, v = (y.unsqueeze(2).expand(-1, -1, share, -1, -1).flatten(1, 2) for y in (k, v))
        s = (q @ k.transpose(-2, -1)).mul_(self.d_k**-0.5)
        if mask is not None:
            blocked = mask.logical_not_()
            s = s.masked_fill(blocked, torch.finfo(s.dtype).min).softmax(-1).masked_fill(blocked, 0.0)
        else:
            s = s.softmax(-1)
        return self.out_proj((s @ v).transpose(1, 2).reshape(b, t, d))
