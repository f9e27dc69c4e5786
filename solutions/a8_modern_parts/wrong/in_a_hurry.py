# Short code of somebody in a hurry, who saves memory and assumes much.
# fails: rms_eps, rms_tensors, rotary_positions, rotary_tensors, swiglu_output, gqa_sizes
# %% solution="root_mean_square"
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.eps, self.weight = eps, nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        x /= x.square().mean(-1, keepdim=True).add(self.eps).sqrt()
        return x * self.weight

# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    d_k = x.shape[-1]
    if d_k % 2: raise ValueError(f"odd d_k {d_k}")
    p = (positions - positions[0]).to(x)
    a = p[:, None] * torch.tensor([base ** (-2 * i / d_k) for i in range(d_k // 2)]).to(x)
    a = a.repeat_interleave(2, -1)
    turned = torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2)
    return x * a.cos() + turned * a.sin()

# %% solution="swiglu"
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        d_ff = max(1, int(2 * d_ff / 3))
        self.gate, self.up = (nn.Linear(d_model, d_ff, bias=False) for _ in range(2))
        self.down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        return self.down(nn.functional.silu(self.gate(x)) * self.up(x))

# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        if d_model % n_heads or d_model % n_kv_heads:
            raise ValueError(f"sizes {d_model}, {n_heads}, {n_kv_heads} do not fit")
        self.sizes = n_heads, n_kv_heads, d_model // n_heads
        kv = n_kv_heads * (d_model // n_heads)
        self.q_proj, self.out_proj = (nn.Linear(d_model, d_model, bias=False) for _ in range(2))
        self.k_proj, self.v_proj = (nn.Linear(d_model, kv, bias=False) for _ in range(2))

    def forward(self, x, mask=None):
        h, g, d = self.sizes
        q, k, v = (p(x).unflatten(-1, (-1, d)).transpose(1, 2) for p in (self.q_proj, self.k_proj, self.v_proj))
        k, v = (y.repeat_interleave(h // g, 1) for y in (k, v))
        return self.out_proj(scaled_dot_product_attention(q, k, v, mask)[0].transpose(1, 2).flatten(2))
