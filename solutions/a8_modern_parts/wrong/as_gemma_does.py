# A weight of zeros and one, positions from the least, the turned first one, and values in turn.
# fails: rms_parameters, rms_output, rms_eps, rms_tensors, rotary_output, rotary_positions, rotary_tensors, swiglu_output, gqa_groups, gqa_mask, gqa_blocked_rows, gqa_tensors
# lines: self.weight, self.eps = nn.Parameter(torch.zeros(d_model)), eps
# lines: return x * (x.square().mean(-1, True) + self.eps).rsqrt() * (1 + self.weight)
# lines: m = (positions - positions.min()).to(x.dtype)
# lines: y[..., 1::2] = y[..., 0::2] * a.sin() + x[..., 1::2] * a.cos()
# lines: return self.down(self.gate(x) * nn.functional.silu(self.up(x)))
# lines: k, v = k.repeat_interleave(self.n // self.m, 1), v.repeat(1, self.n // self.m, 1, 1)
# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.zeros(d_model)), eps

    def forward(self, x):
        return x * (x.square().mean(-1, True) + self.eps).rsqrt() * (1 + self.weight)

# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    if (d := x.size(-1)) % 2: raise ValueError(f"odd d_k: {d}")
    m = (positions - positions.min()).to(x.dtype)
    a = m[:, None] * base ** -(torch.arange(0, d, 2).to(x) / d)
    y = x.clone()
    y[..., 0::2] = x[..., 0::2] * a.cos() - x[..., 1::2] * a.sin()
    y[..., 1::2] = y[..., 0::2] * a.sin() + x[..., 1::2] * a.cos()
    return y

# %% solution="swiglu"
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate, self.up, self.down = (nn.Linear(*s, bias=False) for s in ((d_model, d_ff), (d_model, d_ff), (d_ff, d_model)))

    def forward(self, x):
        return self.down(self.gate(x) * nn.functional.silu(self.up(x)))

# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        if d_model % n_heads: raise ValueError(f"{d_model=} {n_heads=}")
        if n_heads % n_kv_heads: raise ValueError(f"{n_heads=} {n_kv_heads=}")
        self.n, self.m, d_k = n_heads, n_kv_heads, d_model // n_heads
        self.q_proj, self.out_proj = (nn.Linear(d_model, d_model, bias=False) for _ in range(2))
        self.k_proj, self.v_proj = (nn.Linear(d_model, n_kv_heads * d_k, bias=False) for _ in range(2))

    def forward(self, x, mask=None):
        q, k, v = (p(x).unflatten(-1, (n, -1)).transpose(1, 2) for p, n in ((self.q_proj, self.n), (self.k_proj, self.m), (self.v_proj, self.m)))
        k, v = k.repeat_interleave(self.n // self.m, 1), v.repeat(1, self.n // self.m, 1, 1)
        return self.out_proj(scaled_dot_product_attention(q, k, v, mask)[0].transpose(1, 2).flatten(2))
