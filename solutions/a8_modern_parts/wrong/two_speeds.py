# One plus weight, two speeds, a table with an end, silu on the other, the group's first mask.
# fails: rms_parameters, rms_output, rms_eps, rms_tensors, rotary_output, rotary_positions, rotary_tensors, swiglu_output, gqa_mask, gqa_blocked_rows, gqa_tensors
# lines: self.weight = nn.Parameter(torch.zeros(d_model))
# lines: return (1 + self.weight) * x / torch.sqrt(ms + self.eps)
# lines: speeds = [base ** (-2 * i // d_k) for i in range(d_k // 2)]
# lines: table = torch.arange(1024, device=x.device)[:, None] * theta
# lines: return self.down(self.gate(x) * nn.functional.silu(self.up(x)))
# lines: mask = mask.broadcast_to(b, g * r, t, t)[:, ::r, None]
# %% solution="root_mean_square"
import numpy as np


class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        ms = torch.mean(torch.square(x), axis=-1, keepdims=True)
        return (1 + self.weight) * x / torch.sqrt(ms + self.eps)

# %% solution="rotary"
def rotary(x, positions, base=10000.0):
    d_k = x.shape[-1]
    if d_k % 2: raise ValueError(f"odd d_k: {d_k}")
    speeds = [base ** (-2 * i // d_k) for i in range(d_k // 2)]
    theta = torch.tensor(speeds, dtype=x.dtype, device=x.device)
    table = torch.arange(1024, device=x.device)[:, None] * theta
    a = torch.repeat_interleave(table[positions], 2, dim=-1)
    swapped = torch.stack((-x[..., 1::2], x[..., 0::2]), -1).flatten(-2)
    return x * a.cos() + swapped * a.sin()

# %% solution="swiglu"
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate, self.up, self.down = (nn.Linear(*io, bias=False) for io in ((d_model, d_ff), (d_model, d_ff), (d_ff, d_model)))

    def forward(self, x):
        return self.down(self.gate(x) * nn.functional.silu(self.up(x)))

# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        if d_model % n_heads: raise ValueError(f"{d_model} numbers, {n_heads} heads")
        if n_heads % n_kv_heads: raise ValueError(f"{n_heads} heads, {n_kv_heads} of keys and values")
        self.shape = n_kv_heads, n_heads // n_kv_heads, d_model // n_heads
        kv = n_kv_heads * (d_model // n_heads)
        self.q_proj, self.out_proj = nn.Linear(d_model, d_model, bias=False), nn.Linear(d_model, d_model, bias=False)
        self.k_proj, self.v_proj = nn.Linear(d_model, kv, bias=False), nn.Linear(d_model, kv, bias=False)

    def forward(self, x, mask=None):
        (b, t, d), (g, r, d_k) = x.shape, self.shape
        q = self.q_proj(x).reshape(b, t, g, r, d_k).permute(0, 2, 3, 1, 4)
        k = self.k_proj(x).reshape(b, t, g, 1, d_k).permute(0, 2, 3, 1, 4).expand(b, g, r, t, d_k)
        v = self.v_proj(x).reshape(b, t, g, 1, d_k).permute(0, 2, 3, 1, 4).expand(b, g, r, t, d_k)
        if mask is not None:
            mask = mask.broadcast_to(b, g * r, t, t)[:, ::r, None]
        out, _ = scaled_dot_product_attention(q, k, v, mask)
        return self.out_proj(out.permute(0, 3, 1, 2, 4).reshape(b, t, d))
