# No position below 0, an exponent within bounds, and no row of the mask without a key.
# fails: rotary_positions, swiglu_output, gqa_blocked_rows, gqa_tensors
# lines: steps = torch.clamp(positions, 0).to(torch.float64)
# lines: bounded = gate.clamp(min=-10.0, max=10.0)  # exp must not overflow
# lines: mask = mask.logical_or(alone)
# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    d_k = x.size(-1)
    if d_k % 2 == 1:
        raise ValueError(f"{d_k} columns leave one without a partner")
    steps = torch.clamp(positions, 0).to(torch.float64)
    exponents = torch.arange(d_k // 2, device=x.device, dtype=torch.float64) * 2 / d_k
    angles = torch.outer(steps, base**-exponents)
    cos, sin = torch.cos(angles).to(x.dtype), torch.sin(angles).to(x.dtype)
    left, right = x.unflatten(-1, (-1, 2)).unbind(-1)
    return torch.stack((left * cos - right * sin, right * cos + left * sin), -1).flatten(-2)

# %% solution="swiglu"
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        gate = self.gate(x)
        bounded = gate.clamp(min=-10.0, max=10.0)  # exp must not overflow
        return self.down(gate / (1 + torch.exp(-bounded)) * self.up(x))

# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"d_model {d_model} is no multiple of n_heads {n_heads}")
        if n_heads % n_kv_heads != 0:
            raise ValueError(f"n_heads {n_heads} is no multiple of n_kv_heads {n_kv_heads}")
        self.n_heads, self.n_kv_heads, self.d_k = n_heads, n_kv_heads, d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.v_proj = nn.Linear(d_model, n_kv_heads * self.d_k, bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, mask=None):
        batch, t, d_model = x.shape
        q = self.q_proj(x).view(batch, t, self.n_heads, self.d_k).transpose(1, 2)
        k = self.k_proj(x).view(batch, t, self.n_kv_heads, self.d_k).transpose(1, 2)
        v = self.v_proj(x).view(batch, t, self.n_kv_heads, self.d_k).transpose(1, 2)
        copies = self.n_heads // self.n_kv_heads
        k, v = k.repeat_interleave(copies, 1), v.repeat_interleave(copies, 1)
        if mask is not None:
            alone = mask.sum(dim=-1, keepdim=True) == 0
            mask = mask.logical_or(alone)
        heads, _ = scaled_dot_product_attention(q, k, v, mask)
        return self.out_proj(heads.transpose(1, 2).reshape(batch, t, d_model))
