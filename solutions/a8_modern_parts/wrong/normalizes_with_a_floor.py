# F.normalize takes eps for a floor, and a group hears the mask of its first head.
# fails: rms_eps, rms_tensors, gqa_mask, gqa_blocked_rows, gqa_tensors
# %% solution="root_mean_square"
import torch.nn.functional as F
from einops import rearrange, repeat
from torch import einsum


def exists(val):
    return val is not None


class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.scale = d_model ** 0.5
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        return F.normalize(x, dim=-1, eps=self.eps) * self.scale * self.weight
# %% solution="grouped_query_attention"
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f'{d_model} is not divisible by {n_heads} heads')
        if n_heads % n_kv_heads:
            raise ValueError(f'{n_heads} heads are not divisible by {n_kv_heads} kv heads')
        self.heads, self.kv_heads = n_heads, n_kv_heads
        dim_kv = d_model // n_heads * n_kv_heads
        self.q_proj = nn.Linear(d_model, d_model, bias = False)
        self.k_proj = nn.Linear(d_model, dim_kv, bias = False)
        self.v_proj = nn.Linear(d_model, dim_kv, bias = False)
        self.out_proj = nn.Linear(d_model, d_model, bias = False)

    def forward(self, x, mask=None):
        b, n, h, kv_h = *x.shape[:2], self.heads, self.kv_heads
        q = rearrange(self.q_proj(x), 'b n (g r d) -> b g r n d', g = kv_h, r = h // kv_h)
        k, v = (rearrange(t, 'b n (g d) -> b g 1 n d', g = kv_h) for t in (self.k_proj(x), self.v_proj(x)))

        if exists(mask):
            mask = mask.expand(b, h, n, n)
            mask = mask[:, :: h // kv_h, None]
            mask = mask.expand(-1, -1, h // kv_h, -1, -1)

        k, v = (t.expand(-1, -1, h // kv_h, -1, -1) for t in (k, v))
        out, _ = scaled_dot_product_attention(q, k, v, mask)
        return self.out_proj(rearrange(out, 'b g r n d -> b n (g r d)'))
